/** The formats of a report. */
export const reportFormats = ["text", "json", "junit", "github", "sarif", "markdown"] as const;

/** One of {@link reportFormats}. */
export type ReportFormat = (typeof reportFormats)[number];
