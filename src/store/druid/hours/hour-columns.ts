// Druid expressions that read a metric from the columns of kept hours.
import { type HourMetric, type HourPart, partColumn } from '../../hours/hour-row.ts'
import { columnText } from '../native-query.ts'

export const partText = (metric: HourMetric, part: HourPart): string => columnText(partColumn(metric, part).name)

const sets = { all: '', good: 'good_' } as const

/** The number of values in an hour, or of good ones. */
export function hourCount(metric: HourMetric, isOfGood: boolean): string {
  const all = partText(metric, 'count')
  return isOfGood ? `nvl(${partText(metric, 'good_count')}, ${all})` : all
}

/** Infinity, which is never the sum of values in a kept hour. */
const beyond = '(1.0E308 * 10.0)'

/** The sum of the values; infinite if it is not known, null if there are no values. */
export function hourSum(metric: HourMetric, isOfGood: boolean): string {
  const [all, good] = (['all', 'good'] as const).map((of) => sumOf(metric, sets[of]))
  return isOfGood ? `if(isnull(${partText(metric, 'good_count')}), ${all}, ${good})` : all!
}

function sumOf(metric: HourMetric, set: '' | 'good_'): string {
  const [count, sum, lost] = (['count', 'sum', 'lost'] as const).map((part) => partText(metric, `${set}${part}`))
  return `case_searched(isnull(${count}), null, isnull(${sum}), ${beyond}, ${sum} + nvl(${lost}, 0.0))`
}
