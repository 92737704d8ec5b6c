import { describe, expect, test } from 'vitest'
import { readNativeQuery } from '../parse/read-query.ts'
import { checkArraySizes } from './array-sizes.ts'

function check(expression: string): void {
  const virtualColumns = [{ type: 'expression', name: 'v', expression, outputType: 'STRING' }]
  checkArraySizes(readNativeQuery({ queryType: 'scan', dataSource: 'e', intervals: '2024/P1D', virtualColumns }))
}

const texts = "string_to_array(s, ',')"

describe('accepted', () => {
  test.each([
    "array_length(string_to_array(s, ','))",
    'array_slice(v, 1)',
    'array_slice(v, 0, 10000)',
    'array_slice(v, -1, null)',
    `map((x) -> concat(x, x), ${texts})`,
    `fold((x, acc) -> concat(acc, x), ${texts}, '')`,
    `fold((x, acc) -> if(x > acc, x, acc), ${texts}, '')`,
    `fold((x, acc) -> array_append(acc, upper(x)), ${texts}, <STRING>[])`,
    `fold((x, acc) -> acc * acc + 1, ${texts}, 0)`,
    `fold((x, acc) -> acc + fold((acc, sum) -> acc + sum, [1, 2], 0), ${texts}, 0)`,
    `cartesian_map((x, y) -> concat(x, y), ${texts}, ${texts})`,
    `cartesian_map((x, y, z) -> x + y + z, [1, 2], array(3, 4), ${texts})`,
    `map((x) -> array_length(map((y) -> y, ${texts})), ${texts})`,
  ])('%s', (expression) => {
    expect(() => check(expression)).not.toThrow()
  })
})

describe('refused', () => {
  test.each([
    ['array_slice(v, 0, 10001)', 'array_slice of too many'],
    ['array_slice(v, 0, l)', 'a start or end that is not a constant'],
    [`fold((x, acc) -> concat(acc, acc), ${texts}, 'a')`, '"acc" is combined with itself'],
    [`fold((x, acc) -> acc + x + acc, ${texts}, 'a')`, '"acc" is combined with itself'],
    [`fold((x, acc) -> array_concat(acc, acc), ${texts}, [1])`, '"acc" is combined with itself'],
    [`fold((x, acc) -> upper(if(x, concat(acc, lower(acc)), x)), ${texts}, '')`, '"acc" is combined with itself'],
    [`fold((x, acc) -> repeat(acc, 2), ${texts}, 'a')`, '"acc" is combined with itself'],
    [`fold((x, acc) -> array_to_string(map((y) -> acc, ${texts}), ''), ${texts}, 'a')`, '"acc" is combined'],
    [`cartesian_fold((x, y, acc) -> concat(acc, acc), [1], [2], 'a')`, '"acc" is combined with itself'],
    [`cartesian_map((x, y, z) -> x, ${texts}, ${texts}, ${texts})`, 'cartesian_map of too many'],
    [
      `map((x) -> all((y) -> all((z) -> any((u) -> u == x, ${texts}), ${texts}), ${texts}), ${texts})`,
      'nested lambdas',
    ],
    ["concat('a', array_length(array_slice(v, 0, 1e9)))", 'array_slice of too many'],
  ])('%s: %s', (expression, message) => {
    expect(() => check(expression)).toThrow(message)
  })
})
