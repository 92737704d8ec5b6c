// Files as loggers, meters, weather services and spreadsheets write them, pushed as a new user does: a file that would be misread is refused
// with a message that says which options to type, and with those options it is read as intended.
import { afterEach, expect, test } from 'vitest'
import { closeServices, service, tidemark } from '../../../test/support/cli.ts'
import { defaultSeriesFields, type Field } from '../../model/field.ts'

afterEach(closeServices)

const fields: readonly Field[] = [...defaultSeriesFields, { name: 'ok', source: 'ok', type: 'boolean', role: 'metric' }]

interface LoggerFile {
  readonly csv: string
  /** Parts of the response to the first push. */
  readonly refused: readonly string[]
  /** As typed on the command line. */
  readonly options: string
  /** `[D, V]`, and `ok` if the file has it. */
  readonly rows: readonly (readonly unknown[])[]
}

const files: Readonly<Record<string, LoggerFile>> = {
  'TOA5 of a Campbell logger': {
    csv: '"TOA5","Met","CR1000X"\r\n"TIMESTAMP","RECORD","AirTC_Avg"\r\n"TS","RN","Deg C"\r\n"","","Avg"\r\n"2026-03-01 24:00:00",0,4.9\r\n',
    refused: ['--header-line 2 --skip-lines 4\n'],
    options: '--header-line 2 --skip-lines 4 --map TIMESTAMP=D,AirTC_Avg=V --drop RECORD',
    rows: [['2026-03-01 24:00:00', 4.9]],
  },
  'a HOBO logger of Onset': {
    csv: '\ufeff"Plot Title: Cellar, north"\n"#","Date Time, GMT+01:00","Temp, °C"\n1,03/13/26 10:00:00 PM,21.5\n2,03/13/26 10:15:00 PM,21.6\n',
    refused: ['--skip-lines 1\n'],
    options:
      "--skip-lines 1 --map 'Date Time\\, GMT+01:00=D,Temp\\, °C=V' --drop # --time-zone +01:00 --time-format 'MM/dd/yy h:mm:ss a'",
    rows: [
      ['2026-03-13T21:00:00.000Z', 21.5],
      ['2026-03-13T21:15:00.000Z', 21.6],
    ],
  },
  'a Testo 175 logger': {
    csv: 'Testo 175;SN 4030\nMesswerte vom;01.03.2026\n\nDatum / Uhrzeit;Temperatur;Feuchte\n01.03.2026 08:00:00;21,5;41,2\n01.03.2026 08:15:00;21,6;40\n',
    refused: ['--skip-lines 3 --delimiter ";" --decimal comma\n'],
    options:
      "--skip-lines 3 --delimiter ; --decimal comma --map 'Datum / Uhrzeit=D,Temperatur=V' --drop Feuchte --time-format 'dd.MM.yyyy HH:mm:ss'",
    rows: [
      ['2026-03-01T08:00:00.000Z', 21.5],
      ['2026-03-01T08:15:00.000Z', 21.6],
    ],
  },
  'hourly values of the German weather service': {
    csv: 'ID;MESS_DATUM;QN_9;TT_TU;eor\n   44;2026030100;    3;   4.9;eor\n   44;2026030101;    3;  -4.7;eor\n',
    refused: ['--delimiter ";"\n'],
    options: '--delimiter ; --map MESS_DATUM=D,TT_TU=V --drop ID,QN_9,eor --time-format yyyyMMddHH --convert V=number',
    rows: [
      ['2026-03-01T00:00:00.000Z', 4.9],
      ['2026-03-01T01:00:00.000Z', -4.7],
    ],
  },
  'a meter with compact dates and 24:00': {
    csv: 'Bis\tWert\n202603012345\t1.5\n202603012400\t2\n',
    refused: ['--delimiter tab\n'],
    options: '--delimiter tab --map Bis=D,Wert=V --time-format yyyyMMddHHmm --time-zone Europe/Berlin',
    rows: [
      ['2026-03-01T22:45:00.000Z', 1.5],
      ['2026-03-01T23:00:00.000Z', 2],
    ],
  },
  'a German spreadsheet': {
    csv: 'Datum;Uhrzeit;Temperatur;Ein\n01.03.2026;08:00;81,5;WAHR\n31.03.2026;24:00;1.081,5;FALSCH\n',
    refused: ['--delimiter ";" --decimal comma\n'],
    options:
      "--delimiter ; --decimal comma --time Datum+Uhrzeit --map Temperatur=V,Ein=ok --time-format 'dd.MM.yyyy HH:mm' --convert ok=boolean",
    rows: [
      ['2026-03-01T08:00:00.000Z', 81.5, true],
      ['2026-04-01T00:00:00.000Z', 1081.5, false],
    ],
  },
  'an American spreadsheet': {
    csv: 'Timestamp,Value,Good\n3/1/2026 12:05 AM,"1,081.5",TRUE\n12/31/2026 11:59 PM,.5,FALSE\n',
    refused: ['--map Timestamp=D,Value=V,Good=ok'],
    options: "--map Timestamp=D,Value=V,Good=ok --time-format 'M/d/yyyy h:mm a' --convert ok=boolean,V=number",
    rows: [
      ['2026-03-01T00:05:00.000Z', 1081.5, true],
      ['2026-12-31T23:59:00.000Z', 0.5, false],
    ],
  },
  'annotated CSV of InfluxDB': {
    csv: '#group,false,false,false\n#datatype,string,dateTime:RFC3339,double\n#default,_result,,\n,result,_time,_value\n,,2026-03-01T08:00:00Z,12.5\n',
    refused: ['--comment "#"\n'],
    options: '--comment # --map _time=D,_value=V --drop ,result',
    rows: [['2026-03-01T08:00:00Z', 12.5]],
  },
  'WinCC, with quoted names and dates': {
    csv: '"TimeString";"VarValue"\n"01.03.2026 08:00:00";81,5\n',
    refused: ['--delimiter ";" --decimal comma\n'],
    options: "--delimiter ; --decimal comma --map TimeString=D,VarValue=V --time-format 'dd.MM.yyyy HH:mm:ss'",
    rows: [['2026-03-01T08:00:00.000Z', 81.5]],
  },
  'Ignition, with spaces after commas': {
    csv: 't_stamp, "the value"\n"Mar 1, 2026 1:00:00 PM", +82.5\n',
    refused: ['--map "t_stamp=D,the value=V"'],
    options: "--map 't_stamp=D,the value=V' --time-format 'MMM d, yyyy h:mm:ss a' --convert V=number",
    rows: [['2026-03-01T13:00:00.000Z', 82.5]],
  },
  'seconds with a decimal comma': {
    csv: 'D;V\n1772352000,5;1,5\n',
    refused: ['--delimiter ";" --decimal comma\n'],
    options: '--delimiter ; --decimal comma --time-format seconds',
    rows: [['2026-03-01T08:00:00.500Z', 1.5]],
  },
  'LoRa, with dates in lowercase': {
    csv: 'received_at,temperature\n2026-03-01t08:10:00z,21.5\n',
    refused: ['--map received_at=D,temperature=V'],
    options: '--map received_at=D,temperature=V',
    rows: [['2026-03-01t08:10:00z', 21.5]],
  },
}

async function pushed(csv: string, options: readonly string[]) {
  const answers = {
    'GET /ingests/plant': () => [200, { alias: 'plant', fields }] as [number, unknown],
    'POST /ingests/plant/data': () => [200, { batch: 'b', rows: 1 }] as [number, unknown],
    'GET /ingests/plant/batches/b': () =>
      [200, { batch: 'b', rows: 1, stored: 1, rejected: 0, pending: 0, replaced: 0, errors: [] }] as [number, unknown],
  }
  const { url, seen } = await service(answers)
  const { code, err } = await tidemark(url, ['push', 'plant', '-', '--format', 'csv', '--set', 'T=a', ...options], csv)
  const bodies = seen
    .filter((one) => one.startsWith('POST '))
    .map((one) => one.slice('POST /ingests/plant/data '.length))
  return { code, err, rows: bodies.flatMap((body) => body.trimEnd().split('\n')).map((row) => JSON.parse(row)) }
}

test.each(Object.entries(files))('%s', async (_, { csv, refused, options, rows }) => {
  const first = await pushed(csv, [])
  expect([first.code, first.rows]).toEqual([1, []])
  for (const part of refused) expect(first.err).toContain(part)
  const typed = (options.match(/'[^']*'|\S+/g) ?? []).map((word) => word.replaceAll("'", ''))
  const then = await pushed(csv, typed)
  expect([then.code, then.err]).toEqual([0, ''])
  expect(then.rows.map(({ D, V, ok }) => (ok === undefined ? [D, V] : [D, V, ok]))).toEqual(rows)
})

test.each([
  ['a file with times of day as columns', 'Date,00:00,00:30\n01/03/2026,0.5,0.6\n', 'it needs a row for each time'],
  ['a NEM12 file', '100,NEM12,202603010000\n200,61023,E1\n300,20260301,0.5\n', 'The first line looks like a row'],
])('%s is refused with the reason', async (_, csv, why) => {
  const { code, err, rows } = await pushed(csv, [])
  expect([code, rows]).toEqual([1, []])
  expect(err).toContain(why)
})
