/** Who asks for a change, and by which request; null where nobody does: the service itself, at its start. */
export interface ChangeAsker {
  /** The id of his key. */
  readonly key: string | null
  readonly subscriber: string | null
  readonly address: string | null
  readonly request: string | null
}

/** One change, as the audit tells it; `before` and `after` are null where there was or is nothing, or nothing that may be told. */
export interface NewAuditLine extends ChangeAsker {
  readonly timeMs: number
  readonly what: string
  readonly name: string | null
  readonly before: unknown
  readonly after: unknown
}

export interface AuditLine extends NewAuditLine {
  readonly id: number
}

/** A change that is asked for. `Sources` is what the state of a thing is read from, within the transaction that changes it. */
export interface AskedChange<Sources> extends ChangeAsker {
  readonly what: string
  readonly name: string | null
  /** What it changes, as it is: read before and after. Left out where the lines tell what was done instead. */
  readonly state?: ((sources: Sources) => Promise<unknown>) | undefined
}

/** What is asked for, while it is done. */
export interface AuditedChange {
  /** Runs the work: each transaction of it that changes something for an operator also keeps a line. */
  run<Result>(work: () => Promise<Result>): Promise<Result>
  /** Keeps a line unless the work has kept one: for what changes no definitions. */
  keepLine(): Promise<void>
}

export interface AuditPlace {
  readonly timeMs: number
  readonly id: number
}

export interface AuditFilter {
  /** A subscriber, or the id of a key. */
  readonly who?: string | undefined
  readonly what?: string | undefined
  /** Included. */
  readonly fromMs?: number | undefined
  /** Not included. */
  readonly untilMs?: number | undefined
  /** The last line of the page before. */
  readonly after: AuditPlace | null
  readonly limit: number
  /** The page ends early once its lines are longer than this together; it holds one at least. */
  readonly bytesMax: number
}

export interface AuditPage {
  /** Newest first. */
  readonly lines: readonly AuditLine[]
  readonly more: boolean
}

/** Who changed what. */
export interface AuditCatalog<Sources> {
  change(asked: AskedChange<Sources>, nowMs: () => number): AuditedChange
  /** Says of the change that is being done, if one is, what it has done: its line is kept now, or mended. */
  tell(after: unknown): Promise<void>
  /** The id of the line. */
  add(line: NewAuditLine): Promise<number>
  /** False when it is not kept any more. */
  mend(id: number, after: unknown): Promise<boolean>
  list(filter: AuditFilter): Promise<AuditPage>
  /** Removes the oldest lines from before a date, `linesMax` at most; resolves with how many they were. */
  removeBefore(ms: number, linesMax: number): Promise<number>
}
