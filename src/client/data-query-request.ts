/** All that a data query may ask; which of it a kind takes, the service says. */
export interface DataQueryRequest {
  readonly entity: string
  readonly ids?: readonly string[]
  readonly prefixes?: readonly string[]
  readonly id_name_field?: string
  readonly metric_name_field?: readonly string[]
  readonly fields?: readonly string[]
  readonly granularity?: string
  readonly start_date?: string
  readonly end_date?: string
  readonly date?: string
  readonly offset?: number
}
