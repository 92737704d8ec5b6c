import { CopyButton } from '../../parts/copy-button.tsx'
import { Panel } from '../../parts/layout.tsx'
import { ProblemNote } from '../../parts/problem-note.tsx'
import { clientOf, mayDo, serviceUrl } from '../../session/session.ts'
import { useAction } from '../../shell/asking.ts'
import { linkTo } from '../../shell/link.ts'
import { pushSample } from './sample-data.ts'

interface Props {
  /** The ingest whose address is shown. */
  readonly ingest: string | null
  onPushed(): void
}

/** Instructions for a service without data. */
export function FirstSteps({ ingest, onPushed }: Props) {
  const deed = useAction()
  const address = `${serviceUrl}/ingests/${ingest ?? 'plant'}/data`
  return (
    <Panel title="Three steps to the first chart">
      <ol class="inside first-steps">
        <li>
          <strong>Bring rows.</strong> <a href={linkTo(['push'])}>Drop a file</a>, or push to this address:
          <span class="actions">
            <code>{address}</code> <CopyButton text={address} label="Copy address" />
          </span>
          {ingest === null && (
            <span>
              First <a href={linkTo(['ingests'])}>make the ingest</a> that rows are pushed to.
            </span>
          )}
        </li>
        <li>
          <strong>See them arrive.</strong> The <a href={linkTo(['ingests'])}>list of ingests</a> counts them, and shows
          which were rejected and why.
        </li>
        <li>
          <strong>Draw them.</strong> The <a href={linkTo(['explore'])}>chart</a> opens with the freshest tags.
        </li>
      </ol>
      {mayDo('admin') && (
        <div class="inside">
          <div class="actions">
            <button
              type="button"
              class="button first"
              disabled={deed.busy}
              onClick={() =>
                void deed.run(async () => {
                  await pushSample(clientOf(), Date.now())
                  onPushed()
                })
              }
            >
              Try with sample data
            </button>
            <span class="soft small">A day of four tags in a new ingest named sample, which you can delete.</span>
          </div>
          <ProblemNote error={deed.error} />
        </div>
      )}
    </Panel>
  )
}
