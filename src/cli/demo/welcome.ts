export interface Welcome {
  readonly url: string
  readonly adminKey: string
  readonly key: string
  readonly folder: string
  readonly nowMs: number
}

const tag = '01PHD.OSL101.PV'
const hourMs = 3_600_000

/** A shell word, whole whatever is in it. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

function post(url: string, body: object): string {
  return `curl -s ${url} -H 'content-type: application/json' -d ${quoted(JSON.stringify(body))}`
}

/** Six questions that work when pasted, each under what it does. */
export function curlLines({ url, key, nowMs }: Welcome): readonly (readonly [title: string, line: string])[] {
  const hour = new Date(Math.floor(nowMs / hourMs) * hourMs).toISOString()
  const row = { D: new Date(nowMs).toISOString(), T: 'my.first.tag', V: 21.5 }
  const data = `${url}/consumer/data`
  const range = { ids: [tag], start_date: 'PT24H', end_date: hour }
  return [
    ['Push a row', `${post(`${url}/ingests/plant/data`, row)} -H ${quoted(`authorization: Bearer ${key}`)}`],
    [
      'The last quarter of an hour of a tag',
      post(`${data}/select`, { entity: 'plant', ...range, start_date: 'PT15M' }),
    ],
    ['Its mean, hour by hour, of a day', post(`${data}/average`, { entity: 'plant', ...range, granularity: 'hour' })],
    ['The newest value of every tag', post(`${data}/latest`, { entity: 'plant' })],
    ['What is known of the tags of an area', `curl -s -g ${quoted(`${url}/consumer/metadata/tags?tag[bw]=01PHD`)}`],
    ['What there is to ask', `curl -s ${data}/entities`],
  ]
}

export function welcomeText(welcome: Welcome): string {
  const lines = curlLines(welcome).map(([title, line]) => `# ${title}\n${line}\n`)
  return `
Tidemark is at       ${welcome.url}
Key to push          ${welcome.key}
Admin key            ${welcome.adminKey}
All of it is kept in ${welcome.folder}

${lines.join('\n')}
`
}
