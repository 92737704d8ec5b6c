export interface Welcome {
  readonly url: string
  readonly adminKey: string
  readonly key: string
  readonly folder: string
  readonly nowMs: number
}

const tag = '01PHD.OSL101.PV'
const hourMs = 3_600_000

/** A single-quoted shell word, safe for any text. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

function post(url: string, body: object): string {
  return `curl -s ${url} -H 'content-type: application/json' -d ${quoted(JSON.stringify(body))}`
}

/** Six requests that work when pasted, each with a title. */
export function curlLines({ url, key, nowMs }: Welcome): readonly (readonly [title: string, line: string])[] {
  const hour = new Date(Math.floor(nowMs / hourMs) * hourMs).toISOString()
  const row = { D: new Date(nowMs).toISOString(), T: 'my.first.tag', V: 21.5 }
  const data = `${url}/consumer/data`
  const range = { ids: [tag], start_date: 'PT24H', end_date: hour }
  return [
    ['Push a row', `${post(`${url}/ingests/plant/data`, row)} -H ${quoted(`authorization: Bearer ${key}`)}`],
    [
      'Read a quarter of an hour of one tag',
      post(`${data}/select`, { entity: 'plant', ...range, start_date: 'PT15M' }),
    ],
    [
      'Average that tag by hour, over a day',
      post(`${data}/average`, { entity: 'plant', ...range, granularity: 'hour' }),
    ],
    ['Read the newest value of every tag', post(`${data}/latest`, { entity: 'plant' })],
    ["List the metadata of one area's tags", `curl -s -g ${quoted(`${url}/consumer/metadata/tags?tag[bw]=01PHD`)}`],
    ['List what can be queried', `curl -s ${data}/entities`],
  ]
}

export const demoPort = 8080
export const demoFolder = './data/demo'

/** Instructions for continuing after `--once`. */
export function goOnText({ port, data }: { readonly port: number; readonly data: string }): string {
  const flags = `${port === demoPort ? '' : ` --port ${port}`}${data === demoFolder ? '' : ` --data ${quoted(data)}`}`
  return `The demo has ended and its service is stopped. The lines above work while the service runs. Start it again with

  tidemark demo${flags}

In a checkout, that command is: npm run demo${flags === '' ? '' : ` --${flags}`}
`
}

export function welcomeText(welcome: Welcome): string {
  const lines = curlLines(welcome).map(([title, line]) => `# ${title}\n${line}\n`)
  return `
Open the portal at   ${welcome.url}/portal
Tidemark is at       ${welcome.url}
Key to push and read ${welcome.key}
Admin key            ${welcome.adminKey}
The data is in       ${welcome.folder}
Reading needs no key here: the demo sets access.consumption=public for itself. "tidemark serve" requires one.

${lines.join('\n')}
`
}
