export interface FileJournalSettings {
  /** A segment that would grow over this is followed by a new one. */
  readonly segmentBytes: number
  /** As much goes into one write. */
  readonly batchBytesMax: number
  /** As much may wait to be on disk; past it an append is refused. */
  readonly pendingBytesMax: number
  /** A record as large as this is written apart, and begins a segment. */
  readonly apartBytesMin: number
}
