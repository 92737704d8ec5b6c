// The output of an aggregating query: dimensions, aggregators and post-aggregators by name, for the steps after grouping.

import { arithmetic } from '../../druid-sql/bind/time-arithmetic.ts'
import { type Bound, called, literal } from '../../druid-sql/bind/tree.ts'
import { double, long, type SqlType } from '../../druid-sql/bind/types.ts'
import { greatest, least, numbers } from '../../druid-sql/functions/numbers.ts'
import { wideRange } from '../../druid-time/bucket-sql.ts'
import { bind } from '../../lib/bind-sql.ts'
import { type Sql, sql } from '../../lib/sql-text.ts'
import { invalidRequest } from '../../model/problem.ts'
import { ofBoth } from '../expression/call.ts'
import type { Scope } from '../expression/compile.ts'
import { doubleQuotient } from '../expression/operators.ts'
import type { PostAggregator } from '../parse/query-nodes.ts'
import {
  asType,
  asValue,
  doubleValue,
  isScalar,
  longValue,
  nodeOf,
  nowhere,
  nullValue,
  numberNode,
  type Typed,
  toDouble,
  typeOf,
} from '../values/typed.ts'
import { type Aggregation, variance, varianceInRange } from './aggregator.ts'
import { Layers } from './layers.ts'
import { bindAt } from './source-rows.ts'

type SketchPost = Extract<PostAggregator, { kind: 'estimate' | 'thetaSetOp' | 'quantile' | 'histogram' | 'stddev' }>

/** The value of a post-aggregator over a row. `ofSketch` evaluates the post-aggregators that need a sketch. */
export function bindPost(post: PostAggregator, scope: Scope, ofSketch: (post: SketchPost) => Typed): Bound {
  const numbersOf = (fields: readonly PostAggregator[], type: SqlType): readonly Bound[] =>
    fields.map((field) => {
      const value = bindPost(field, scope, ofSketch)
      if (value.type.kind === 'string') throw invalidRequest(field.path, 'is a string: arithmetic needs numbers')
      return asType(value, type)
    })
  switch (post.kind) {
    case 'fieldAccess': {
      const value = scope.column(post.fieldName)
      if (value !== nullValue) return nodeOf(value)
      throw invalidRequest(`${post.path}.fieldName`, `"${post.fieldName}" is not the name of a preceding output`)
    }
    case 'constant':
      return numberNode(post.value)
    case 'arithmetic':
      return numbersOf(post.fields, double).reduce((left, right) => calculated(post.fn, left, right))
    case 'expression': {
      const value = bindAt(`${post.path}.expression`, post.expression, scope)
      const { outputType } = post
      return outputType === null || (value.type.kind === 'array' && isScalar(outputType))
        ? value
        : asType(value, typeOf(outputType))
    }
    case 'extreme': {
      const type = post.type === 'LONG' ? long : double
      const values = numbersOf(post.fields, type)
      if (values.length === 0) return literal(nowhere, type, null)
      return called(nowhere, type, post.greatest ? greatest : least, values)
    }
    default:
      return nodeOf(ofSketch(post))
  }
}

/** Division of doubles in which division by 0 is 0. */
export const quotientOrZero = ofBoth(
  (x, y) => sql`CASE WHEN ${y} = 0 THEN CASE WHEN ${x} IS NOT NULL THEN 0e0 END ELSE ${x} / ${y} END`,
)

const quotients = { '/': quotientOrZero, quotient: doubleQuotient, pow: numbers.POW.fn }

/** Arithmetic on doubles. */
function calculated(fn: (PostAggregator & { kind: 'arithmetic' })['fn'], left: Bound, right: Bound): Bound {
  return fn === '/' || fn === 'quotient' || fn === 'pow'
    ? called(nowhere, double, quotients[fn], [left, right])
    : called(nowhere, double, arithmetic, [left, right], { operator: fn })
}

export class Rows implements Scope {
  readonly range = wideRange
  readonly #values = new Map<string, Typed>()
  readonly #aggregations = new Map<string, Aggregation>()
  readonly #hidden: Sql[] = []
  readonly #finished = new Layers('f')
  readonly #layers = new Layers('p')

  column(name: string): Typed {
    return this.#values.get(name) ?? nullValue
  }

  has(name: string): boolean {
    return this.#values.has(name)
  }

  set(name: string, value: Typed): void {
    this.#values.set(name, this.#finished.define(value))
  }

  setAggregation(aggregation: Aggregation, raw: Sql, also: Sql): void {
    this.#aggregations.set(aggregation.name, aggregation)
    this.set(aggregation.name, aggregation.finish(raw, also))
  }

  /** Additional aggregates that post-aggregators need: `x0`, `x1` and so on. */
  get hidden(): readonly Sql[] {
    return this.#hidden.map((aggregate, index) => sql`${aggregate} AS ${sql.id(`x${index}`)}`)
  }

  setPostAggregator(post: PostAggregator): void {
    const value = bindPost(post, this, (sketch) => this.#ofSketch(sketch))
    this.#values.set(post.name!, this.#layers.define(asValue(value)))
  }

  /** The grouped rows with all computed values. */
  around(grouped: Sql): Sql {
    return this.#layers.around(this.#finished.around(grouped))
  }

  #hide(aggregate: Sql, filter: Sql | null): Sql {
    const index = this.#hidden.push(filter === null ? aggregate : sql`${aggregate} FILTER (WHERE ${filter})`) - 1
    return sql.id(`x${index}`)
  }

  #sketch(field: PostAggregator, kind: NonNullable<Aggregation['sketch']>['kind']): NonNullable<Aggregation['sketch']> {
    const sketch = field.kind === 'fieldAccess' ? this.#aggregations.get(field.fieldName)?.sketch : null
    if (sketch?.kind === kind) return sketch
    throw invalidRequest(
      field.path,
      `must be a fieldAccess to an aggregator that keeps ${kind === 'distinct' ? 'distinct values' : kind === 'quantiles' ? 'quantiles' : 'a variance'}`,
    )
  }

  #ofSketch(post: SketchPost): Typed {
    switch (post.kind) {
      case 'estimate': {
        const count = this.#estimate(post.field)
        return post.round ? longValue(sql`CAST(round(${count}) AS BIGINT)`) : doubleValue(count)
      }
      case 'thetaSetOp':
        return doubleValue(sql`CAST(len(${this.#valueSet(post)}) AS DOUBLE)`)
      case 'quantile': {
        const { values, filter } = this.#sketch(post.field, 'quantiles')
        const at = post.fractions.map(
          (fraction) =>
            sql`coalesce(${this.#hide(sql`quantile_disc(${values}, ${sql.double(fraction)})`, filter)}, ${sql.double(Number.NaN)})`,
        )
        return doubleValue(post.one ? at[0]! : sql`[${sql.list(at)}]`)
      }
      case 'histogram':
        return doubleValue(this.#histogram(post))
      case 'stddev': {
        if (!this.has(post.fieldName))
          throw invalidRequest(`${post.path}.fieldName`, `"${post.fieldName}" is not the name of a preceding output`)
        // Computed from the aggregator's values, whatever its own estimator.
        const sketch = this.#aggregations.get(post.fieldName)?.sketch
        if (sketch?.kind !== 'variance') return doubleValue(sql`sqrt(${toDouble(this.column(post.fieldName))})`)
        const { aggregate, also } = variance(sketch.values, post.population)
        const [ofSmall, largest] = [this.#hide(aggregate, sketch.filter), this.#hide(also, sketch.filter)]
        return doubleValue(sql`sqrt(${varianceInRange(ofSmall, largest)})`)
      }
    }
  }

  #estimate(field: PostAggregator): Sql {
    if (field.kind === 'thetaSetOp') return sql`CAST(len(${this.#valueSet(field)}) AS DOUBLE)`
    if (field.kind !== 'fieldAccess' || !this.has(field.fieldName))
      throw invalidRequest(field.path, 'must be the name of an aggregator that keeps distinct values')
    return toDouble(this.column(field.fieldName))
  }

  /** The distinct values as a list. */
  #valueSet(field: PostAggregator): Sql {
    if (field.kind !== 'thetaSetOp') {
      const { values, filter } = this.#sketch(field, 'distinct')
      const notNull = filter === null ? sql`${values} IS NOT NULL` : sql`(${filter} AND ${values} IS NOT NULL)`
      return sql`coalesce(${this.#hide(sql`list(DISTINCT ${values})`, notNull)}, [])`
    }
    const sets = field.fields.map((one) => this.#valueSet(one))
    if (sets.length < 2) throw invalidRequest(`${field.path}.fields`, 'must hold at least two fields')
    return sets.reduce((a, b) => {
      if (field.fn === 'UNION') return sql`list_distinct(list_concat(${a}, ${b}))`
      if (field.fn === 'INTERSECT') return sql`list_intersect(${a}, ${b})`
      return bind(b, (other) => sql`list_filter(${a}, lambda member: NOT list_contains(${other}, member))`)
    })
  }

  /** Numbers of values between split points, or in bins of equal width; NaN if there are no values. */
  #histogram(post: PostAggregator & { kind: 'histogram' }): Sql {
    const { values, filter } = this.#sketch(post.field, 'quantiles')
    const counts =
      post.splitPoints === null
        ? evenBins(this.#hide(sql`list(${values})`, filter), post.bins)
        : betweenPoints(values, post.splitPoints).map(
            (within) =>
              sql`CAST(${this.#hide(sql`count(*)`, filter === null ? within : sql`(${filter} AND ${within})`)} AS DOUBLE)`,
          )
    const nothing = counts.map(() => sql.double(Number.NaN))
    const some = sql`coalesce(${this.#hide(sql`count(${values})`, filter)}, 0) > 0`
    return sql`CASE WHEN ${some} THEN [${sql.list(counts)}] ELSE [${sql.list(nothing)}] END`
  }
}

/** Number of a list's values in each bin. */
function evenBins(all: Sql, bins: number): readonly Sql[] {
  const [low, high] = [sql`list_min(${all})`, sql`list_max(${all})`]
  return Array.from(
    { length: bins },
    (_, index) =>
      sql`CAST(len(list_filter(${all}, lambda one: least(floor((one - ${low}) / nullif(${high} - ${low}, 0) * ${sql.long(bins)}), ${sql.long(bins - 1)}) = ${sql.long(index)})) AS DOUBLE)`,
  )
}

/** Conditions for a value before the first point, between consecutive points, and after the last. */
function betweenPoints(values: Sql, points: readonly number[]): readonly Sql[] {
  return [...points, Number.POSITIVE_INFINITY].map((end, index) => {
    const from = index === 0 ? sql`TRUE` : sql`${values} > ${sql.double(points[index - 1]!)}`
    return sql`(${values} IS NOT NULL AND ${from} AND ${values} <= ${sql.double(end)})`
  })
}
