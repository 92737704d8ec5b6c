// The formats of result rows. Every other list of formats derives from this one: the media types that requests accept, the OpenAPI document,
// the client and the commands. A new format needs an entry here and an encoder in `src/answer/store-rows.ts`.

interface FormatDescription {
  readonly name: string
  readonly mediaType: string
  /** Content-Type parameters, appended to the media type. */
  readonly parameters: string
  /** Describes how rows are written; used in the OpenAPI document. */
  readonly description: string
}

/** The first format is the default for requests that name none. */
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

/** The media type to send in `Accept` for a format. */
export function formatMediaType(format: AnswerFormat): string {
  return byName.get(format)!.mediaType
}

/** The `Content-Type` header of a format. */
export function formatContentType(format: AnswerFormat): string {
  const { mediaType, parameters } = byName.get(format)!
  return mediaType + parameters
}
