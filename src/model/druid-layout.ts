// How an answer of Druid's SQL is laid out, as its callers ask for it.

/** The five of Druid's `resultFormat`, the first being that of who asks for none. */
export const druidFormats = ['object', 'array', 'objectLines', 'arrayLines', 'csv'] as const

export type DruidFormat = (typeof druidFormats)[number]

export interface DruidLayout {
  readonly resultFormat: DruidFormat
  /** Whether the names of the columns come before the rows, and then their types to Druid's engine, and to its SQL. */
  readonly header: boolean
  readonly typesHeader: boolean
  readonly sqlTypesHeader: boolean
}

/** What a column is to Druid's engine, and to its SQL: `LONG` and `TIMESTAMP`, say. */
export interface DruidColumnType {
  readonly type: string
  readonly sqlType: string
}

/** A layout whose columns are known. */
export interface TypedDruidLayout extends DruidLayout {
  readonly types: readonly DruidColumnType[]
  /** By whose clocks times are written. */
  readonly zone: string
}
