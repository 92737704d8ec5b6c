import { expect, test } from 'vitest'
import { defaultSeriesFields } from '../../../../src/model/field.ts'
import { mappingOf, ownNames, unfedFields, withColumn, withConstant } from './columns.ts'

const columns = withColumn(withColumn(ownNames(['timestamp', 'V', 'note']), 'timestamp', 'D'), 'note', null)

test('a column becomes the property of its name unless it is renamed or dropped', () => {
  const { columns: renamed, dropped, typeOf } = mappingOf(columns, defaultSeriesFields)
  expect([[...renamed], [...dropped]]).toEqual([[['timestamp', 'D']], ['note']])
  expect(['D', 'V', 'other'].map(typeOf)).toEqual(['timestamp', 'double', 'guess'])
})

test('a field without a column can be a constant of all rows', () => {
  expect(unfedFields(columns, defaultSeriesFields).map(({ source }) => source)).toEqual(['T'])
  const constant = withConstant(columns, 'T', 'boiler.temp')
  expect([...mappingOf(constant, defaultSeriesFields).constants]).toEqual([['T', 'boiler.temp']])
  expect([...mappingOf(withConstant(constant, 'T', ''), defaultSeriesFields).constants]).toEqual([])
  expect([...mappingOf(withColumn(constant, 'note', 'T'), defaultSeriesFields).constants]).toEqual([])
})

test('two columns mapped to the time are its date and its time of day, in the order of the file', () => {
  const both = withColumn(withColumn(ownNames(['day', 'at', 'V']), 'day', 'D'), 'at', 'D')
  const { columns: renamed, dateAndTime } = mappingOf(both, defaultSeriesFields)
  expect([[...renamed], dateAndTime]).toEqual([[['day', 'D']], ['day', 'at']])
  expect(mappingOf(ownNames(['D', 'V']), defaultSeriesFields).dateAndTime).toBeNull()
  // The same metric twice remains an error.
  expect(mappingOf(withColumn(ownNames(['D', 'V', 'W']), 'W', 'V'), defaultSeriesFields).dateAndTime).toBeNull()
})
