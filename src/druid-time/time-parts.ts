/**
 * The parts of a time in SQL and in native expressions, in the order in which messages list them. Each has DuckDB's name for it; null where each
 * of the two languages computes the part in its own way.
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
  // Druid's ISOYEAR is the calendar year, despite its name.
  ['ISOYEAR', 'year'],
  ['DECADE', null],
  ['CENTURY', null],
  ['MILLENNIUM', null],
])
