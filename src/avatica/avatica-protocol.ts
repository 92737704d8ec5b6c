// The requests and responses of the Avatica protocol, independent of the wire format; names are those of its JSON form.
// Source of both formats: Apache Calcite Avatica 1.26 (`core/src/main/protobuf/*.proto`, and its JSON reference), Apache License 2.0.

/** A value that a client binds to a parameter; `type` is a value of Avatica's `Rep`. */
export interface BoundValue {
  readonly type: string
  /** Undefined if it was not set, or its type is not scalar. */
  readonly value: string | number | bigint | boolean | null | undefined
}

/** Settings of a connection; a client omits those that it does not change. */
export interface ConnectionProperties {
  readonly autoCommit?: boolean | undefined
  readonly readOnly?: boolean | undefined
  readonly transactionIsolation?: number | undefined
  readonly catalog?: string | undefined
  readonly schema?: string | undefined
}

/** Patterns of LIKE; null matches all names. */
export interface MetadataPatterns {
  readonly catalog: string | null
  readonly schemaPattern: string | null
  readonly tableNamePattern: string | null
  readonly columnNamePattern: string | null
  readonly typeList: readonly string[] | null
}

/** Requests with no parameters except the connection. */
export const plainRequests = [
  'closeConnection',
  'createStatement',
  'databaseProperties',
  'getTypeInfo',
  'commit',
  'rollback',
] as const

/** Metadata requests that are executed as SQL. */
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
      /** Limit of the whole result; null is unlimited. */
      readonly rowsMax: number | null
      /** Limit of the first frame; null lets the service choose. */
      readonly frameRows: number | null
    } & OfStatement)
  | ({
      readonly request: 'execute'
      readonly parameterValues: readonly BoundValue[]
      readonly frameRows: number | null
    } & OfStatement)
  | ({ readonly request: 'fetch'; readonly offset: number; readonly frameRows: number | null } & OfStatement)
  | ({ readonly request: 'closeStatement' | 'syncResults' | 'prepareAndExecuteBatch' | 'executeBatch' } & OfStatement)

/** A result value: a long may be a bigint; a timestamp is in milliseconds. */
export type Cell = string | number | bigint | boolean | null

export type Rep = 'STRING' | 'LONG' | 'DOUBLE' | 'BOOLEAN' | 'INTEGER'

export interface AvaticaColumn {
  readonly ordinal: number
  readonly name: string
  /** A constant of `java.sql.Types`. */
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
  /** Number of `?` in the text. */
  readonly parameters: number
}

export interface Frame {
  readonly offset: number
  readonly done: boolean
  readonly rows: readonly (readonly Cell[])[]
  /** The representation of each column's values. */
  readonly reps: readonly Rep[]
}

export interface ResultSet {
  readonly connectionId: string
  readonly statementId: number
  /** Whether the statement exists only for this result. */
  readonly ownStatement: boolean
  readonly signature: Signature
  readonly firstFrame: Frame
}

export interface ErrorAnswer {
  readonly response: 'error'
  readonly errorMessage: string
  /** 1: unknown connection; 2: no access; -1: any other error. */
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
