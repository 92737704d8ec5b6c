// The tree of a query as the caller wrote it: plain tagged data with unresolved names.
import type { ComparisonOperator } from '../../lib/comparison-operator.ts'
import type { Place } from './sql-problem.ts'

export type TypeName = 'VARCHAR' | 'BIGINT' | 'DOUBLE' | 'BOOLEAN' | 'TIMESTAMP' | 'DATE'
export type TimeUnit = 'MILLISECOND' | 'SECOND' | 'MINUTE' | 'HOUR' | 'DAY' | 'WEEK' | 'MONTH' | 'QUARTER' | 'YEAR'

interface Node {
  readonly place: Place
}

export type Expression =
  | (Node & { readonly kind: 'text'; readonly value: string })
  | (Node & { readonly kind: 'number'; readonly digits: string })
  | (Node & { readonly kind: 'boolean'; readonly value: boolean })
  | (Node & { readonly kind: 'null' })
  | (Node & { readonly kind: 'time'; readonly type: 'TIMESTAMP' | 'DATE'; readonly value: string })
  | (Node & {
      readonly kind: 'interval'
      readonly value: string
      readonly negative: boolean
      readonly from: TimeUnit
      readonly to: TimeUnit | null
    })
  | (Node & { readonly kind: 'column'; readonly path: readonly string[] })
  | (Node & {
      readonly kind: 'arithmetic'
      readonly operator: '+' | '-' | '*' | '/' | '%' | '||'
      readonly left: Expression
      readonly right: Expression
    })
  | (Node & {
      readonly kind: 'comparison'
      readonly operator: ComparisonOperator
      readonly left: Expression
      readonly right: Expression
    })
  | (Node & { readonly kind: 'logical'; readonly operator: 'AND' | 'OR'; readonly items: readonly Expression[] })
  | (Node & { readonly kind: 'not'; readonly operand: Expression })
  | (Node & { readonly kind: 'negate'; readonly operand: Expression })
  | (Node & {
      readonly kind: 'is'
      readonly what: 'NULL' | 'TRUE' | 'FALSE' | 'UNKNOWN'
      readonly negated: boolean
      readonly operand: Expression
    })
  | (Node & {
      readonly kind: 'distinctFrom'
      readonly negated: boolean
      readonly left: Expression
      readonly right: Expression
    })
  | (Node & {
      readonly kind: 'between'
      readonly negated: boolean
      readonly symmetric: boolean
      readonly operand: Expression
      readonly low: Expression
      readonly high: Expression
    })
  | (Node & {
      readonly kind: 'inList'
      readonly negated: boolean
      readonly operand: Expression
      readonly items: readonly Expression[]
    })
  | (Node & {
      readonly kind: 'inQuery'
      readonly negated: boolean
      readonly operand: Expression
      readonly query: Query
    })
  | (Node & {
      readonly kind: 'like'
      readonly negated: boolean
      readonly operand: Expression
      readonly pattern: Expression
      readonly escape: Expression | null
    })
  | (Node & {
      readonly kind: 'case'
      readonly operand: Expression | null
      readonly branches: readonly CaseBranch[]
      readonly otherwise: Expression | null
    })
  | (Node & { readonly kind: 'cast'; readonly operand: Expression; readonly type: CastType })
  | (Node & { readonly kind: 'scalar'; readonly query: Query })
  | (Node & { readonly kind: 'array'; readonly items: readonly Expression[] })
  | (Node & { readonly kind: 'item'; readonly operand: Expression; readonly index: Expression })
  | Call

export interface CastType {
  readonly name: TypeName
  readonly isArray: boolean
  /** The number of decimals that a DECIMAL keeps, 0 where it is not given; null for other types. */
  readonly scale: number | null
}

export interface CaseBranch {
  readonly when: Expression
  readonly result: Expression
}

export interface Call extends Node {
  readonly kind: 'call'
  /** In upper case. */
  readonly name: string
  readonly operands: readonly Expression[]
  /** `COUNT(*)`. */
  readonly star: boolean
  readonly distinct: boolean
  readonly orderBy: readonly OrderItem[]
  readonly filter: Expression | null
  /** A window, or the name of one. */
  readonly over: Window | { readonly name: string; readonly place: Place } | null
  /** A unit of time that is part of the syntax: `FLOOR(x TO DAY)`, `TIMESTAMPADD(DAY, ...)`. */
  readonly unit: string | null
  readonly unitPlace: Place | null
  /** The type after `RETURNING` in JSON functions. */
  readonly returning: CastType | null
}

export interface OrderItem {
  readonly expression: Expression
  readonly descending: boolean
  readonly nulls: 'FIRST' | 'LAST' | null
}

export type FrameBound =
  | { readonly kind: 'unboundedPreceding' | 'unboundedFollowing' | 'currentRow' }
  | { readonly kind: 'preceding' | 'following'; readonly rows: bigint; readonly place: Place }

export interface Window extends Node {
  readonly partitionBy: readonly Expression[]
  readonly orderBy: readonly OrderItem[]
  readonly frame: { readonly unit: 'ROWS' | 'RANGE'; readonly start: FrameBound; readonly end: FrameBound } | null
}

export type SelectItem =
  | (Node & { readonly kind: 'star'; readonly table: string | null })
  | (Node & { readonly kind: 'expression'; readonly expression: Expression; readonly alias: string | null })

export type TableExpression =
  | (Node & { readonly kind: 'table'; readonly path: readonly string[]; readonly alias: Alias | null })
  | (Node & { readonly kind: 'subquery'; readonly query: Query; readonly alias: Alias | null })
  | (Node & {
      readonly kind: 'append'
      readonly tables: readonly { readonly name: string; readonly place: Place }[]
      readonly alias: Alias | null
    })
  | (Node & { readonly kind: 'unnest'; readonly operand: Expression; readonly alias: Alias | null })
  | Join

export interface Join extends Node {
  readonly kind: 'join'
  readonly type: 'INNER' | 'LEFT' | 'RIGHT' | 'FULL' | 'CROSS'
  readonly left: TableExpression
  readonly right: TableExpression
  readonly on: Expression | null
  readonly using: readonly { readonly name: string; readonly place: Place }[] | 'natural' | null
}

export interface Alias {
  readonly name: string
  readonly columns: readonly string[]
}

export type Grouping =
  | { readonly kind: 'expression'; readonly expression: Expression }
  | { readonly kind: 'sets'; readonly sets: readonly (readonly Expression[])[] }

export interface Select extends Node {
  readonly kind: 'select'
  readonly distinct: boolean
  readonly items: readonly SelectItem[]
  readonly from: TableExpression | null
  readonly where: Expression | null
  readonly groupBy: readonly Grouping[] | null
  readonly having: Expression | null
  readonly windows: ReadonlyMap<string, Window>
}

export interface Values extends Node {
  readonly kind: 'values'
  readonly rows: readonly (readonly Expression[])[]
}

/** UNION ALL, the only kind that Druid has. */
export interface Union extends Node {
  readonly kind: 'union'
  readonly left: QueryBody
  readonly right: QueryBody
}

export type QueryBody = Select | Values | Union | (Node & { readonly kind: 'nested'; readonly query: Query })

export interface Query extends Node {
  readonly with: readonly {
    readonly name: string
    readonly columns: readonly string[]
    readonly query: Query
    readonly place: Place
  }[]
  readonly body: QueryBody
  readonly orderBy: readonly OrderItem[]
  readonly limit: bigint | null
  readonly offset: bigint | null
}
