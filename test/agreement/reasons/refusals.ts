// Queries that only one of the two refuses.
import { instead } from '../changed-queries.ts'
import { type KnownDifference, refusedHere, refusedThere } from './reason.ts'

export const refusals: readonly KnownDifference[] = [
  refusedThere(
    "Druid's planner fails",
    /InvalidCastException|Calcite assertion violated|could not be planned|Query Planning Failure|Cannot (?:vectorize|invoke)|RexLiteral cannot be cast|is null"|Druid fails with|Error (?:while|occurred while) applying rule|Marker filters|while converting |has no target in mapping|to DECIMAL\(\d+, \d+\) due to overflow|no entry for field \d+ in \{|must be BOOLEAN NOT NULL|is not being grouped/,
  ),
  refusedThere(
    'a constant that is no number is null here',
    /evaluates to an unsupported value \[(?:NaN|-?Infinity)\]|Infinite or NaN|For input string|Character . is neither a decimal digit/,
  ),
  refusedThere('Druid cuts characters in half, which no text can hold', /half of a character/),
  refusedThere(
    'Druid does not count different values beside aggregates of texts and times',
    /Aggregation \[\w+\] does not support type/,
    /DISTINCT/,
  ),
  refusedThere('Druid orders by no arrays', /ArrayList cannot be cast/),
  refusedThere('Druid takes no array that is a constant null', /Cannot handle literal \[null/),
  refusedThere(
    'what is no Base64 is null here',
    /[Bb]ase64|4-byte ending unit|enough valid bits|Function\[\w+\] encountered unknown exception/,
    /DECODE_BASE64_UTF8|decode_base64_utf8/,
  ),
  refusedThere(
    'JSON_MERGE takes objects alone in Druid',
    /Function\[json_merge\] (?:bad string|invalid) input|Function\[\w+\] encountered unknown exception/,
    /JSON_MERGE/,
  ),
  refusedThere(
    'Druid folds no expression of a constant null',
    /Unhandled exception made it to the top|types\.size >= 1/,
  ),
  refusedThere(
    'Druid divides before HAVING',
    /\/ by zero|ArithmeticException|cannot be run: null"|Function\[\w+\] encountered unknown exception/,
    / [/%] .*HAVING|MOD\(.*HAVING|HAVING.* [/%] /,
  ),
  refusedThere('Druid fails to replace by null', /Function\[replace\] encountered unknown exception/, /replace\(/i),
  refusedThere('Druid limits no texts by their natural order', /NaturalComparator/),
  refusedThere('a year beyond all times is null here', /query cannot be run: (?:[+-]?\d{5,}|-\d{4})-\d\d-\d\d/),
  refusedThere(
    'Druid fails to group by an array under a COUNT(DISTINCT)',
    /does not support ARRAY types|Problem invoking method/,
  ),
  {
    reason: 'Druid fails to group by an array of constants under a COUNT(DISTINCT)',
    matches: ({ query, embedded, druid }) =>
      /ARRAY\[.*(?:COUNT|SUM)\(DISTINCT .*GROUP BY/.test(query.text) && embedded.status === 200 && druid.status === 400,
    without: instead([/\b(COUNT|SUM)\(DISTINCT /g, '$1(']),
  },
  refusedThere('Druid fails to look for some arrays', /Function\[array_overlap\] encountered unknown exception/),
  refusedThere(
    'Druid takes no number for a text in some functions',
    /Parameters must be of the same type|Cannot apply '\w+' to arguments of type '\w+\((?:<[^>]*>, )*<(?:BIGINT|INTEGER|DOUBLE|DECIMAL)|Cannot apply '(?:SUBSTRING|LEFT|RIGHT|REVERSE|LPAD|RPAD|STRPOS|POSITION|I?CONTAINS_STRING|REGEXP_\w+)'/,
  ),
  {
    reason: 'lists and texts of aggregates take at most 1,024 bytes on a cluster, unless more is allowed',
    matches: ({ embedded, druid }) =>
      embedded.status === 200 && druid.status === 413 && /takes more than 1024 bytes/.test(druid.text),
  },
  {
    reason: 'the buffers of the Druid under test hold few sketches',
    matches: ({ druid }) => druid.status === 413 && /merge buffer/.test(druid.text),
  },
  refusedThere('a constant text that is no time is null here', /Illegal TIMESTAMP constant/),
  refusedThere(
    'Druid takes a name for an array or for a value, not for both',
    /used as both scalar and array variables/,
  ),
  refusedThere('Druid renames within the names of functions', /function '\w+' is not defined/),
  refusedThere('JSON_VALUE of a list is null here', /cannot cast \[ARRAY/, /JSON_VALUE\(/),
  refusedHere(
    'Druid asks the operands of a quotient whether it is null, and does not divide',
    /is divided by zero/,
    / \/ .*IS (?:NOT )?(?:NULL|UNKNOWN)/,
    instead([/ \/ /g, ' * ']),
  ),
  refusedHere(
    'Druid divides in those rows alone that the other conditions leave',
    /is divided by zero/,
    /WHERE .* AND .* \/ |WHERE .* \/ .* AND /,
    instead([/ \/ /g, ' * ']),
  ),
  refusedHere(
    'Druid divides in those groups alone that LIMIT takes',
    /is divided by zero/,
    / \/ (?:COUNT|SUM|MIN|MAX)\(.*GROUP BY .* LIMIT \d/,
    instead([/ \/ /g, ' * ']),
  ),
  refusedHere(
    'UNNEST of keys of constant JSON beside a table is refused here',
    /this form of query is not supported/,
    /UNNEST\(.*JSON_KEYS\(/,
  ),
]
