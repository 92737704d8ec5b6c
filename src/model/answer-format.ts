// The formats that rows are answered in. All lists of them are made from this one: what requests may accept, the OpenAPI document, the
// client and the commands. A new format is an entry here and an encoder in `src/answer/store-rows.ts`.

interface FormatDescription {
  readonly name: string
  readonly mediaType: string
  /** What the Content-Type says after the media type. */
  readonly parameters: string
  /** How rows are written, for the OpenAPI document. */
  readonly description: string
}

/** The first is what is answered to a request that asks for none. */
export const answerFormats = [
  {
    name: 'json',
    mediaType: 'application/json',
    parameters: '',
    description: 'An array of flat objects.',
  },
  {
    name: 'csv',
    mediaType: 'text/csv',
    parameters: '; charset=utf-8',
    description: 'RFC 4180 with a header. A null is nothing between the commas, and the empty text is `""`.',
  },
  {
    name: 'ndjson',
    mediaType: 'application/x-ndjson',
    parameters: '',
    description: 'One JSON object a line.',
  },
  {
    name: 'arrow',
    mediaType: 'application/vnd.apache.arrow.stream',
    parameters: '',
    description: 'An Arrow IPC stream: timestamp[ms, UTC], utf8, double, int64 and bool columns.',
  },
] as const satisfies readonly FormatDescription[]

export type AnswerFormat = (typeof answerFormats)[number]['name']

const byName = new Map(answerFormats.map((format) => [format.name, format] as const))

/** What a request accepts to get a format. */
export function formatMediaType(format: AnswerFormat): string {
  return byName.get(format)!.mediaType
}

/** As the Content-Type says it. */
export function formatContentType(format: AnswerFormat): string {
  const { mediaType, parameters } = byName.get(format)!
  return mediaType + parameters
}
