const MiB = 1024 * 1024;

/** Bounds of one chart and of what repositories send, in bytes unless named otherwise. Source: the chart format. */
export const CHART_LIMITS = {
  fileBytes: 10 * MiB,
  /** Files counted: members of a folder, every regular entry of an archive. */
  files: 4096,
  totalBytes: 64 * MiB,
  /** An archive as it is sent. */
  archiveBytes: 20 * MiB,
  indexBytes: 16 * MiB,
} as const;
