import { likelyWord } from '../../lib/likely-word.ts'
import { otherFunctions } from '../parse/other-dialects.ts'
import { type Place, quoted, sqlProblem } from '../parse/sql-problem.ts'
import { aggregates } from './aggregates.ts'
import { catalogue } from './catalogue.ts'
import { windowFunctions } from './windows.ts'

/** The refusal of a function that there is not, with what to write, or the one that was likely meant. */
export function unknownFunction(name: string, place: Place): Error {
  const write = otherFunctions.get(name)
  const likely = likelyWord(name, [...catalogue.keys(), ...aggregates.keys(), ...windowFunctions.keys()])
  const meant = likely === null ? '' : `: ${quoted(likely)} may be meant`
  return sqlProblem(place, `there is no function ${quoted(name)}${write === undefined ? meant : `: write ${write}`}`)
}
