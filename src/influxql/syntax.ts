// The syntax tree of InfluxQL, as plain data.

export type Comparison = '=' | '!=' | '<' | '<=' | '>' | '>=' | '=~' | '!~'
export type Arithmetic = '+' | '-' | '*' | '/' | '%'

export type Node =
  | NameNode
  | PatternNode
  | CallNode
  | { readonly kind: 'wildcard'; readonly of: 'field' | 'tag' | null }
  | { readonly kind: 'number'; readonly digits: string }
  | { readonly kind: 'text'; readonly value: string }
  | { readonly kind: 'duration'; readonly ns: bigint }
  | { readonly kind: 'boolean'; readonly value: boolean }
  | ArithmeticNode
  | ComparisonNode
  | LogicNode

export interface ArithmeticNode {
  readonly kind: 'arithmetic'
  readonly operator: Arithmetic
  readonly left: Node
  readonly right: Node
}

export interface NameNode {
  readonly kind: 'name'
  readonly name: string
  /** The qualifier after `::`. */
  readonly of: 'field' | 'tag' | null
}

export interface PatternNode {
  readonly kind: 'pattern'
  readonly source: string
}

export interface CallNode {
  readonly kind: 'call'
  readonly name: string
  readonly operands: readonly Node[]
}

export interface ComparisonNode {
  readonly kind: 'comparison'
  readonly operator: Comparison
  readonly left: Node
  readonly right: Node
}

export interface LogicNode {
  readonly kind: 'and' | 'or'
  readonly operands: readonly Node[]
}

/** A measurement, by its name or by a pattern. */
export interface Source {
  readonly database: string | null
  readonly measurement: string | PatternNode
}

export type Fill = 'null' | 'none' | 'previous' | 'linear' | { readonly digits: string }

export interface GroupBy {
  readonly interval: { readonly ns: bigint; readonly offset: Node | null } | null
  readonly tags: readonly (string | PatternNode)[]
  readonly allTags: boolean
}

interface Paged {
  readonly limit: number | null
  readonly offset: number
}

export interface Select extends Paged {
  readonly kind: 'select'
  readonly columns: readonly { readonly value: Node; readonly alias: string | null }[]
  readonly sources: readonly Source[]
  readonly where: Node | null
  readonly groupBy: GroupBy
  readonly fill: Fill
  readonly isDescending: boolean
  readonly seriesLimit: number | null
  readonly seriesOffset: number
  readonly zone: string | null
}

export const shown = [
  'databases',
  'retention policies',
  'measurements',
  'series',
  'tag keys',
  'tag values',
  'field keys',
] as const

export interface Show extends Paged {
  readonly kind: 'show'
  readonly what: (typeof shown)[number]
  readonly database: string | null
  readonly sources: readonly Source[]
  readonly where: Node | null
  /** Condition on the keys of `tag values`, or on the name of `measurements`: `=`, `!=`, `=~`, `!~`, or `=` with several values. */
  readonly with: { readonly operator: Comparison; readonly values: readonly (string | PatternNode)[] } | null
}

export type Statement = Select | Show | { readonly kind: 'create database' }
