export { createCaptureSource, type CaptureSourceOptions } from "./capture-source.ts";
export { completeSource, type CompleteSourceOptions, type CompletedSource } from "./complete-source.ts";
export type { Loss, LossKind } from "./compare-values.ts";
export { reasonOf } from "./file-reason.ts";
export { createFolderSource, type FolderSourceOptions } from "./folder-source.ts";
export type { Failure, HexWindow, JournalEntry, Sample } from "./journal-entry.ts";
export { type Migration, migrate } from "./migrate.ts";
export type { MigrationOptions, MigrationProgress, ThreadOptions } from "./migration-options.ts";
export { sourceProperties } from "./migrate-message.ts";
export type { QuestionKind } from "./open-question.ts";
export { type InputFormat, openSource, type OpenSourceOptions } from "./open-source.ts";
export { createQuarantine, type Quarantine } from "./quarantine.ts";
export { createQueueSource, type QueueSourceOptions } from "./queue-source.ts";
export type {
  FailedMessage,
  FailureReport,
  MessageName,
  MigrationFinding,
  FormatCount,
  MigrationReport,
  PathReport,
  TypeReport,
  TypeSample,
  MigrationVerdict,
} from "./report.ts";
export { reportPage } from "./report-page.ts";
export { type SchemaFile, writeSchemaFiles } from "./schema-files.ts";
export type { MessageLeft, ReasonLeft } from "./source-completion.ts";
export type { MigrationSource, SourceContent, SourceMessage, SourcePiece } from "./source.ts";
export { type TargetFormat, targetFormats, type TargetOptions } from "./target.ts";
