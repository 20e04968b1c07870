export { createCaptureSource, type CaptureSourceOptions } from "./read/capture-source.ts";
export { completeSource, type CompleteSourceOptions, type CompletedSource } from "./read/complete-source.ts";
export type { Loss, LossKind } from "./verify/compare-values.ts";
export { createFolderSource, type FolderSourceOptions } from "./read/folder-source.ts";
export type { Failure, HexWindow, JournalEntry, Sample } from "./journal-entry.ts";
export { type Migration, migrate } from "./migrate.ts";
export type { MigrationOptions, MigrationProgress, ThreadOptions } from "./migration-options.ts";
export { sourceProperties } from "./migrate-message.ts";
export type { QuestionKind } from "./infer/open-question.ts";
export { type InputFormat, createFileSource, type FileSourceOptions } from "./read/file-source.ts";
export { createQuarantine, type Quarantine } from "./quarantine.ts";
export { createQueueSource, type QueueSourceOptions } from "./read/queue-source.ts";
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
} from "./report/report.ts";
export { reportPage } from "./report/report-page.ts";
export { type SchemaFile, writeSchemaFiles } from "./target/schema-files.ts";
export type { MessageLeft, ReasonLeft } from "./read/source-completion.ts";
export type { MigrationSource, SourceContent, SourceMessage, SourcePiece } from "./read/source.ts";
export { type TargetFormat, targetFormats, type TargetOptions } from "./target/target.ts";
