/**
 * The parts of a time that both languages name, in the order in which they are told, each with DuckDB's name for it; null where each language
 * works it out in a way of its own.
 */
export const timeParts: ReadonlyMap<string, string | null> = new Map([
  ['EPOCH', null],
  ['MILLISECOND', null],
  ['SECOND', 'second'],
  ['MINUTE', 'minute'],
  ['HOUR', 'hour'],
  ['DAY', 'day'],
  ['DOW', 'isodow'],
  ['ISODOW', 'isodow'],
  ['DOY', 'doy'],
  ['WEEK', 'week'],
  ['MONTH', 'month'],
  ['QUARTER', 'quarter'],
  ['YEAR', 'year'],
  // Druid's ISOYEAR is the calendar's year all the same.
  ['ISOYEAR', 'year'],
  ['DECADE', null],
  ['CENTURY', null],
  ['MILLENNIUM', null],
])
