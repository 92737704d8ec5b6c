// What Avatica's clients ask and are answered, whichever of the two wire formats they speak: the names are those of its JSON.
// The source of both is Apache Calcite Avatica 1.26 (`core/src/main/protobuf/*.proto`, and the reference of its JSON), Apache License 2.0.

/** A value that a caller binds to a parameter; its type is one of Avatica's `Rep`. */
export interface BoundValue {
  readonly type: string
  /** Undefined where it was not set, or is of a type that is no single value. */
  readonly value: string | number | bigint | boolean | null | undefined
}

/** What a connection is set to; a caller leaves out what it does not change. */
export interface ConnectionProperties {
  readonly autoCommit?: boolean | undefined
  readonly readOnly?: boolean | undefined
  readonly transactionIsolation?: number | undefined
  readonly catalog?: string | undefined
  readonly schema?: string | undefined
}

/** Patterns of LIKE; null where all names are meant. */
export interface MetadataPatterns {
  readonly catalog: string | null
  readonly schemaPattern: string | null
  readonly tableNamePattern: string | null
  readonly columnNamePattern: string | null
  readonly typeList: readonly string[] | null
}

/** The requests that name their connection and nothing else. */
export const plainRequests = [
  'closeConnection',
  'createStatement',
  'databaseProperties',
  'getTypeInfo',
  'commit',
  'rollback',
] as const

/** The requests of metadata that are answered by SQL. */
export const metadataRequests = ['getCatalogs', 'getSchemas', 'getTables', 'getTableTypes', 'getColumns'] as const

export type MetadataRequest = (typeof metadataRequests)[number]

interface OfConnection {
  readonly connectionId: string
}

interface OfStatement extends OfConnection {
  readonly statementId: number
}

export type AvaticaRequest =
  | ({ readonly request: 'openConnection'; readonly info: ReadonlyMap<string, string> } & OfConnection)
  | ({ readonly request: (typeof plainRequests)[number] } & OfConnection)
  | ({ readonly request: 'connectionSync'; readonly connProps: ConnectionProperties } & OfConnection)
  | ({ readonly request: MetadataRequest; readonly patterns: MetadataPatterns } & OfConnection)
  | ({ readonly request: 'prepare'; readonly sql: string; readonly rowsMax: number | null } & OfConnection)
  | ({
      readonly request: 'prepareAndExecute'
      readonly sql: string
      /** Of the whole answer; null where the caller sets no bound. */
      readonly rowsMax: number | null
      /** Of the first frame; null where the caller leaves it to the service. */
      readonly frameRows: number | null
    } & OfStatement)
  | ({
      readonly request: 'execute'
      readonly parameterValues: readonly BoundValue[]
      readonly frameRows: number | null
    } & OfStatement)
  | ({ readonly request: 'fetch'; readonly offset: number; readonly frameRows: number | null } & OfStatement)
  | ({ readonly request: 'closeStatement' | 'syncResults' | 'prepareAndExecuteBatch' | 'executeBatch' } & OfStatement)

/** A value of an answer: a long may be a bigint; a timestamp is milliseconds. */
export type Cell = string | number | bigint | boolean | null

export type Rep = 'STRING' | 'LONG' | 'DOUBLE' | 'BOOLEAN' | 'INTEGER'

export interface AvaticaColumn {
  readonly ordinal: number
  readonly name: string
  /** Of `java.sql.Types`. */
  readonly typeId: number
  readonly typeName: string
  readonly rep: Rep
  readonly className: string
  readonly isSigned: boolean
  readonly precision: number
  readonly displaySize: number
}

export interface Signature {
  readonly columns: readonly AvaticaColumn[]
  readonly sql: string
  /** How many `?` the text has. */
  readonly parameters: number
}

export interface Frame {
  readonly offset: number
  readonly done: boolean
  readonly rows: readonly (readonly Cell[])[]
  /** How the values of each column are written. */
  readonly reps: readonly Rep[]
}

export interface ResultSet {
  readonly connectionId: string
  readonly statementId: number
  /** Whether the statement is there for this answer alone. */
  readonly ownStatement: boolean
  readonly signature: Signature
  readonly firstFrame: Frame
}

export interface ErrorAnswer {
  readonly response: 'error'
  readonly errorMessage: string
  /** 1 is a connection that is not known, 2 a caller who has no access, -1 all else. */
  readonly errorCode: number
  readonly sqlState: string
}

export type AvaticaResponse =
  | {
      readonly response: 'openConnection' | 'closeConnection' | 'closeStatement' | 'commit' | 'rollback'
    }
  | { readonly response: 'connectionSync'; readonly connProps: ConnectionProperties }
  | { readonly response: 'databaseProperties'; readonly properties: ReadonlyMap<string, string | number> }
  | { readonly response: 'createStatement'; readonly connectionId: string; readonly statementId: number }
  | {
      readonly response: 'prepare'
      readonly connectionId: string
      readonly statementId: number
      readonly signature: Signature
    }
  | { readonly response: 'resultSet'; readonly resultSet: ResultSet }
  | { readonly response: 'executeResults'; readonly resultSet: ResultSet }
  | { readonly response: 'fetch'; readonly frame: Frame }
  | ErrorAnswer
