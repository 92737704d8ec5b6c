import { expect, test } from 'vitest'
import { filterFault } from './topics.ts'

test.each(['plant/#', '#', '+', '+/x/+', '/', '$share/group/plant/+', 'a b/c'])('%s is a valid filter', (filter) => {
  expect(filterFault(filter)).toBeNull()
})

test.each([
  ['plant/#/x', 'nothing may follow it'],
  ['plant#', '# must be alone between slashes, not in "plant#"'],
  ['plant/a+/x', '+ must be alone between slashes, not in "a+"'],
  ['', 'it is empty'],
  ['a\0', 'a character of code 0'],
  ['a'.repeat(65_536), 'longer than 65535 bytes'],
])('%s is not a valid filter', (filter, fault) => {
  expect(filterFault(filter)).toContain(fault)
})
