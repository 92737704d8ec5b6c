// Random Druid expressions: every function, with operands at every edge, mostly of the types that it accepts.
import { functions } from '../../src/druid-native/expression/functions.ts'
import {
  counts,
  type Draw,
  formats,
  fractions,
  oneOf,
  paths,
  patterns,
  perhaps,
  periods,
  expressions as regexes,
  texts,
  units,
  wholeNumbers,
  zones,
} from '../druid-sql/fuzzed-values.ts'

const lambdas = ['map', 'filter', 'any', 'all', 'fold', 'cartesian_map', 'cartesian_fold'] as const

/** The names of all functions, in lower case. */
export const fuzzedFunctions: readonly string[] = [
  ...[...functions].filter(([, known]) => known !== 'unsupported').map(([name]) => name),
  ...lambdas,
]

const constants = {
  period: periods,
  zone: zones,
  pattern: patterns,
  regex: regexes,
  path: paths,
  unit: units,
  format: formats,
  type: [
    'STRING',
    'LONG',
    'DOUBLE',
    'ARRAY<STRING>',
    'ARRAY<LONG>',
    'ARRAY<DOUBLE>',
    'FLOAT',
    'COMPLEX<json>',
    'x',
    '',
  ],
  address: ['10.0.0.0/8', '0.0.0.0/0', '1.2.3.4', '1.2.3.4/33', '::1/128', 'fe80::/10', 'x', ''],
  mark: ['%', 'a%', '_', '%a%', '%_a_%_b', 'a\\%', '', 'ax', '\u{1f600}%', '\0'],
  escape: ['\\', '%', 'x', '', 'xx', '\u{1f600}'],
} as const
type Constant = keyof typeof constants
const kinds = ['text', 'long', 'double', 'time', 'array', 'json'] as const
type Kind = (typeof kinds)[number] | Constant | 'any' | 'count'

const operandKinds: ReadonlyMap<string, readonly Kind[]> = new Map<string, readonly Kind[]>([
  ...['timestamp_floor', 'timestamp_ceil'].map((name) => [name, ['time', 'period', 'time', 'zone']] as const),
  ['timestamp_shift', ['time', 'period', 'long', 'zone']],
  ['timestamp_extract', ['time', 'unit', 'zone']],
  ['timestamp_format', ['time', 'pattern', 'zone']],
  ['timestamp_parse', ['text', 'pattern', 'zone']],
  ...['timestamp', 'unix_timestamp'].map((name) => [name, ['text', 'pattern']] as const),
  ...['regexp_like', 'regexp_extract', 'regexp_replace'].map((name) => [name, ['text', 'regex', 'long']] as const),
  ['like', ['text', 'mark', 'escape']],
  ...['repeat', 'lpad', 'rpad'].map((name) => [name, ['text', 'count', 'text']] as const),
  ['format', ['format', 'any']],
  ['cast', ['any', 'type']],
  ['parse_long', ['text', 'long']],
  ...['substring', 'left', 'right'].map((name) => [name, ['text', 'long']] as const),
  ...['json_value', 'json_query'].map((name) => [name, ['json', 'path', 'type']] as const),
  ['json_keys', ['json', 'path']],
  ...['ipv4_match', 'ipv6_match'].map((name) => [name, ['text', 'address']] as const),
  ['string_to_array', ['text', 'regex']],
  ...['array_to_string', 'array_append', 'array_set_add', 'array_contains', 'array_offset_of', 'array_ordinal_of'].map(
    (name) => [name, ['array', 'any']] as const,
  ),
  ...['array_prepend', 'scalar_in_array'].map((name) => [name, ['any', 'array']] as const),
  ...['array_offset', 'array_ordinal', 'array_slice'].map((name) => [name, ['array', 'long']] as const),
  ['array_quantile', ['array', 'double']],
  ...['array_concat', 'array_set_add_all', 'array_overlap', 'array_length', 'array_to_mv', 'mv_to_array'].map(
    (name) => [name, ['array']] as const,
  ),
  ...[...functions.keys()]
    .filter((name) =>
      /^(?:concat|strlen|lower|upper|reverse|replace|strpos|b?trim|[lr]trim|i?contains_string)$/.test(name),
    )
    .map((name) => [name, ['text']] as const),
])

/** Functions that return an array, JSON or a time. For other kinds any function is used. */
const results: ReadonlyMap<string, readonly string[]> = new Map([
  [
    'array',
    fuzzedFunctions.filter((name) =>
      /^array(?:_append|_prepend|_concat|_slice|_set|$)|to_array|^map$|^filter$|^cartesian_map$|^json_keys$/.test(name),
    ),
  ],
  ['json', ['json_query', 'json_object', 'parse_json', 'try_parse_json']],
  ['time', fuzzedFunctions.filter((name) => /^timestamp(?:$|_floor|_ceil|_shift|_parse)/.test(name))],
])

const columns: Readonly<Record<(typeof kinds)[number], readonly string[]>> = {
  text: ['T', 's', 'v0'],
  long: ['l', 'b', 'v1'],
  double: ['V'],
  time: ['__time', 'ts'],
  array: ['v2'],
  json: ['s'],
}

const textLiteral = (text: string): string =>
  `'${text.replace(/[\\'\n\0\ud800-\udfff]/g, (character) =>
    character === '\\' || character === "'"
      ? `\\${character}`
      : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )}'`

const operators = ['+', '-', '*', '/', '%', '^', '<', '<=', '>', '>=', '==', '!=', '&&', '||']

/** Draws the expressions of one query; a limit on the number of calls keeps it short. */
export class ExpressionWriter {
  readonly #draw: Draw
  /** The parameters of the enclosing lambdas. */
  #parameters: readonly string[] = []
  #calls = 0

  constructor(draw: Draw) {
    this.#draw = draw
  }

  value(kind: Kind, depth: number): string {
    const draw = this.#draw
    if (kind in constants && perhaps(draw, 95)) return textLiteral(oneOf(draw, constants[kind as Constant]))
    if (kind === 'count') return perhaps(draw, 70) ? oneOf(draw, counts) : this.value('long', depth)
    const chosen = kind === 'any' || kind in constants ? oneOf(draw, kinds) : (kind as (typeof kinds)[number])
    this.#calls += 1
    if (depth <= 0 || this.#calls > 40) return this.#leaf(chosen)
    if (perhaps(draw, 12))
      return `(${this.value('any', depth - 1)} ${oneOf(draw, operators)} ${this.value(chosen, depth - 1)})`
    if (perhaps(draw, 4)) return `${oneOf(draw, ['-', '!'])}${this.value(chosen, depth - 1)}`
    if (perhaps(draw, 20)) return this.#leaf(chosen)
    return this.call(
      perhaps(draw, 5) ? oneOf(draw, fuzzedFunctions) : oneOf(draw, results.get(chosen) ?? fuzzedFunctions),
      depth,
    )
  }

  call(name: string, depth: number): string {
    const draw = this.#draw
    if ((lambdas as readonly string[]).includes(name)) return this.#lambda(name, depth - 1)
    const known = functions.get(name)
    const [least, most] = known === undefined || known === 'unsupported' ? [1, 3] : known.args
    const wanted = least + draw(Math.min(most ?? least + 3, least + 3) - least + 1)
    const count = perhaps(draw, 3) ? draw(5) : wanted
    const given = operandKinds.get(name)
    const operands = Array.from({ length: count }, (_, index) => {
      const kind = perhaps(draw, 5) ? 'any' : (given?.[Math.min(index, given.length - 1)] ?? 'any')
      return perhaps(draw, 4) ? 'null' : this.value(kind, depth - 1)
    })
    return `${name}(${operands.join(', ')})`
  }

  #lambda(name: string, depth: number): string {
    const isFold = name.endsWith('fold')
    const arrays = name.startsWith('cartesian') ? 2 : 1
    const parameters = [...['x', 'y'].slice(0, arrays), ...(isFold ? ['acc'] : [])]
    const outer = this.#parameters
    this.#parameters = [...outer, ...parameters]
    const body = this.value('any', depth)
    this.#parameters = outer
    const operands = Array.from({ length: arrays }, () => this.value('array', depth))
    return `${name}((${parameters.join(', ')}) -> ${body}, ${[...operands, ...(isFold ? [this.value('any', depth)] : [])].join(', ')})`
  }

  #leaf(kind: (typeof kinds)[number]): string {
    const draw = this.#draw
    if (perhaps(draw, 4)) return 'null'
    if (this.#parameters.length > 0 && perhaps(draw, 45)) return oneOf(draw, this.#parameters)
    if (perhaps(draw, 45)) return oneOf(draw, columns[kind])
    switch (kind) {
      case 'text':
        return textLiteral(oneOf(draw, texts))
      case 'long':
        return oneOf(draw, wholeNumbers)
      case 'double':
        return oneOf(draw, [...fractions, 'NaN', 'Infinity', '-Infinity'])
      case 'time':
        return oneOf(draw, [
          "timestamp('2024-02-29')",
          "timestamp('0001-01-01')",
          "timestamp('9999-12-31T23:59:59.999')",
          ...wholeNumbers,
        ])
      case 'array':
        return oneOf(draw, [
          '[1, 2, 3]',
          "['a', null]",
          '[1.5]',
          '[]',
          '<LONG>[]',
          '<DOUBLE>[null]',
          "array('a', s)",
          'array(l, -1)',
          "['1', 'x', '2']",
        ])
      case 'json':
        return oneOf(draw, [
          'parse_json(\'{"a":[1,{"b":null}]}\')',
          'try_parse_json(s)',
          "try_parse_json('[1,2]')",
          "json_object('a', l)",
        ])
    }
  }
}
