// Expressions of native queries, and extraction functions.
import { changedCalls, instead, inTurn, ofPlainCharacters, withoutCalls } from '../changed-queries.ts'
import { type KnownDifference, otherwise } from './reason.ts'

export const nativeExpressions: readonly KnownDifference[] = [
  otherwise('JSON with more behind it is none here, and what comes first in Druid', /try_parse_json\(/, 'native', {
    without: withoutCalls(/try_parse_json/, 'try_parse_json(j)'),
  }),
  otherwise(
    'a floor by several hours begins on the hour in Druid in zones east whose minutes changed since 1970',
    /'PT12H'.*'Asia\/Kathmandu'/,
    'native',
    { without: instead([/'Asia\/Kathmandu'/g, "'Europe/Madrid'"]) },
  ),
  otherwise(
    'a floor or ceil to several hours gives the next bucket before 1970 in Druid',
    /timestamp_(?:floor|ceil)\(.*'PT(?:6|12)H'/,
    'native',
    { without: inTurn(instead([/\bts\b/g, '__time']), withoutCalls(/timestamp_parse/, '__time')) },
  ),
  otherwise("'true' in an array of texts is 1 as a LONG in Druid", /mv_to_array.*ARRAY<LONG>/, 'native', {
    without: instead([/mv_to_array\(s\)/g, 'mv_to_array(T)']),
  }),
  otherwise('a cluster keeps no sign of a zero', /"expression":"[^"]*\bV\b/, 'native', {
    without: instead([/(?:(?<!")|(?<="expression":"))\bV\b/g, '((V + 1.0) - 1.0)']),
  }),
  otherwise(
    'characters beyond U+FFFF are two to Druid where texts are cut, counted and filled',
    /\b(?:strpos|substring|left|right|lpad|rpad|string_to_array)\(/,
    'native',
    { without: ofPlainCharacters('replace') },
  ),
  otherwise('substring, left and right cut no character in two here', /"extractionFn":.*"type":"substring"/, 'native', {
    without: instead([/"type":"substring","index":\d+(?:,"length":\d+)?/g, '"type":"upper"']),
  }),
  otherwise('no array is one of a null to mv_harmonize_nulls here', /mv_harmonize_nulls\(/, 'native', {
    without: instead([/mv_harmonize_nulls\(/g, 'array_to_mv(']),
  }),
  otherwise(
    'functions of doubles end in other digits, and in other bits',
    /bitwiseConvertDoubleToLongBits\(/i,
    'native',
    { without: instead([/bitwiseConvertDoubleToLongBits\(/gi, 'abs(']) },
  ),
  otherwise(
    'an address with a range or spaces behind it is one to Druid',
    /ipv4_(?:parse|match)\(.*(?:'-'|' '|'%s-%d')/,
    'native',
    { without: instead([/'(?:-| )'/g, "'x'"], [/'%s-%d'/g, "'%sx%d'"]) },
  ),
  otherwise('a text in place of a number is 0 or null to functions of Druid', /\bdiv\(/, 'native', {
    without: changedCalls(/div/, (call) => call.replaceAll(/\b[sTjc]\b/g, 'n')),
  }),
  otherwise('arrays of nulls alone are of numbers in Druid, a row at a time', /array\((?:\w+)(?:, \w+)*\)/, 'native', {
    without: instead([/\barray\(/g, "array('a', "]),
  }),
  otherwise('each row of an if has a type of its own in Druid', /'(?:CENTURY|MILLENNIUM)'/, 'native', {
    without: instead([/'(?:CENTURY|MILLENNIUM)'/g, "'YEAR'"]),
  }),
]
