// What is worked out of groups and rows, in Druid's expression language.
import type { PlannedCondition, PlannedValue } from '../../druid-values/planned-value.ts'
import { nameLiteral, numberText, textLiteral } from './expression-of-value.ts'

/** The type of what has such a value. */
export const outputType = ({ type }: PlannedValue): string => (type === 'timestamp' ? 'LONG' : type.toUpperCase())

export class ValueTexts {
  /** What each cell is called. */
  readonly #cells: readonly string[]

  constructor(cells: readonly string[]) {
    this.#cells = cells
  }

  condition(condition: PlannedCondition): string {
    switch (condition.kind) {
      case 'compare': {
        const operator = ({ '=': '==', '<>': '!=' } as Record<string, string>)[condition.operator] ?? condition.operator
        return `(${this.value(condition.left)} ${operator} ${this.value(condition.right)})`
      }
      case 'and':
      case 'or': {
        const operator = condition.kind === 'and' ? ' && ' : ' || '
        return `(${condition.conditions.map((one) => this.condition(one)).join(operator)})`
      }
      case 'not':
        return `!${this.condition(condition.condition)}`
      case 'null':
        return `${condition.isNegated ? 'notnull' : 'isnull'}(${this.value(condition.value)})`
    }
  }

  #orNull(value: PlannedValue | null): string {
    return value === null ? 'null' : this.value(value)
  }

  value(value: PlannedValue): string {
    switch (value.kind) {
      case 'cell':
        return nameLiteral(this.#cells[value.at]!)
      case 'constant':
        return numberText(value.type, value.value)
      case 'text':
        return textLiteral(value.value)
      case 'mean':
        return `("${this.#cells[value.sumAt]}" / "${this.#cells[value.countAt]}")`
      case 'constants': {
        const [passed, all] = [`"${this.#cells[value.passedAt]}"`, `"${this.#cells[value.allAt]}"`]
        const { others } = value
        const sum = `(${passed} * ${value.passed}) + ((${all} - ${passed}) * ${others ?? 0})`
        return `if(${others === null ? passed : all} == 0,null,${sum})`
      }
      case 'sumOrZero': {
        const [sum, zero] = [`"${this.#cells[value.sumAt]}"`, value.type === 'long' ? '0' : '0.0']
        return `if(isnull(${sum}) && "${this.#cells[value.allAt]}" > "${this.#cells[value.passedAt]}",${zero},${sum})`
      }
      case 'negated':
        return `-(${this.value(value.operand)})`
      case 'rounded':
        return `round(${this.value(value.operand)},${value.places})`
      case 'unary':
        return value.operator === 'double' || value.operator === 'long'
          ? `cast(${this.value(value.operand)},'${value.operator.toUpperCase()}')`
          : `${value.operator}(${this.value(value.operand)})`
      case 'truth':
        return this.condition(value.condition)
      case 'safeQuotient':
        return `safe_divide(${this.value(value.left)},${this.value(value.right)})`
      case 'first':
        return value.values.map((one) => this.value(one)).reduceRight((rest, one) => `nvl(${one},${rest})`)
      case 'choice': {
        const branches = value.branches.map((one) => `${this.condition(one.when)},${this.#orNull(one.value)}`)
        return `case_searched(${[...branches, this.#orNull(value.otherwise)].join(',')})`
      }
      case 'arithmetic':
        return `(${this.value(value.left)} ${value.operator} ${this.value(value.right)})`
    }
  }
}
