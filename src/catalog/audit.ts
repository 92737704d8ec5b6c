/** The caller and request behind a change. All null for changes that the service makes itself at startup. */
export interface ChangeCaller {
  /** The id of the caller's key. */
  readonly key: string | null
  readonly subscriber: string | null
  readonly address: string | null
  readonly request: string | null
}

/** One change in the audit log. `before` and `after` are null when nothing existed at that point, or when the value is secret. */
export interface NewAuditLine extends ChangeCaller {
  readonly timeMs: number
  readonly what: string
  readonly name: string | null
  readonly before: unknown
  readonly after: unknown
}

export interface AuditLine extends NewAuditLine {
  readonly id: number
}

/** A requested change. `Sources` is the catalog as the changing transaction sees it, from which the state is read. */
export interface RequestedChange<Sources> extends ChangeCaller {
  readonly what: string
  readonly name: string | null
  /** Reads the current state of what is changed; called before and after the change. Absent when the audit lines report what was done instead. */
  readonly state?: ((sources: Sources) => Promise<unknown>) | undefined
}

/** A requested change while it runs. */
export interface AuditedChange {
  /** Runs the work. Each of its transactions that changes something visible to an operator also writes an audit line. */
  run<Result>(work: () => Promise<Result>): Promise<Result>
  /** Writes an audit line unless the work has already written one. For changes that alter no definitions. */
  keepLine(): Promise<void>
}

export interface AuditPlace {
  readonly timeMs: number
  readonly id: number
}

export interface AuditFilter {
  /** The name of a subscriber, or the id of a key. */
  readonly who?: string | undefined
  readonly what?: string | undefined
  /** Inclusive. */
  readonly fromMs?: number | undefined
  /** Exclusive. */
  readonly untilMs?: number | undefined
  /** The last line of the previous page. */
  readonly after: AuditPlace | null
  readonly limit: number
  /** The page ends early when its lines total more bytes than this. It has at least one line. */
  readonly bytesMax: number
}

export interface AuditPage {
  /** Newest first. */
  readonly lines: readonly AuditLine[]
  readonly more: boolean
}

/** The audit log of changes. */
export interface AuditCatalog<Sources> {
  change(asked: RequestedChange<Sources>, nowMs: () => number): AuditedChange
  /** Sets `after` of the running change, if there is one: writes its audit line, or updates the line it already has. */
  setAfter(after: unknown): Promise<void>
  /** Returns the id of the line. */
  add(line: NewAuditLine): Promise<number>
  /** Returns false when the line no longer exists. */
  update(id: number, after: unknown): Promise<boolean>
  list(filter: AuditFilter): Promise<AuditPage>
  /** Removes the oldest lines before a date, at most `linesMax`, and returns the number removed. */
  removeBefore(ms: number, linesMax: number): Promise<number>
}
