// The layout of a Druid SQL response, as the client requests it.

/** The values of Druid's `resultFormat`; the first is the default. */
export const druidFormats = ['object', 'array', 'objectLines', 'arrayLines', 'csv'] as const

export type DruidFormat = (typeof druidFormats)[number]

export interface DruidLayout {
  readonly resultFormat: DruidFormat
  /** Whether header rows precede the rows: column names, then Druid's native types, then SQL types. */
  readonly header: boolean
  readonly typesHeader: boolean
  readonly sqlTypesHeader: boolean
}

/** A column's native type in Druid and its SQL type, such as `LONG` and `TIMESTAMP`. */
export interface DruidColumnType {
  readonly type: string
  readonly sqlType: string
}

/** A layout whose columns are known. */
export interface TypedDruidLayout extends DruidLayout {
  readonly types: readonly DruidColumnType[]
  /** The time zone in which times are written. */
  readonly zone: string
}
