import { useEffect } from 'preact/hooks'
import type { EntityDescription } from '../../../../src/client/answers.ts'
import { Waiting } from '../../parts/layout.tsx'
import { ProblemNote } from '../../parts/problem-note.tsx'
import { Charts, ShownAnswer } from '../explore/drawing.tsx'
import { timeOf } from '../explore/question.ts'
import { useEarlier } from '../explore/use-earlier.ts'
import { usePixels } from '../explore/use-pixels.ts'
import { useRows } from '../explore/use-rows.ts'
import type { View } from '../explore/view.ts'

interface Props {
  readonly view: View
  readonly entity: EntityDescription
  onChange(part: Partial<View>): void
}

const refreshMs = 30_000
const chartPixels = 230

export function ChartCell(props: Props) {
  const { room, pixels } = usePixels()
  return <div ref={room}>{pixels !== null && <Drawn {...props} pixels={pixels} />}</div>
}

function Drawn({ view, entity, pixels, onChange }: Props & { readonly pixels: number }) {
  const asking = { view, entity, pixels, time: timeOf(view.how, entity) }
  const { shown, stale, busy, error, again } = useRows(asking, true)
  const earlier = useEarlier(shown, asking)
  const isLive = view.range !== ''
  useEffect(() => {
    if (!isLive) return
    const timer = setInterval(again, refreshMs)
    return () => clearInterval(timer)
  }, [isLive])
  return (
    <>
      <ProblemNote error={error ?? earlier.error} />
      {shown === null && busy && <Waiting />}
      {shown !== null && (
        <ShownAnswer shown={shown} stale={stale}>
          <Charts
            shown={shown}
            earlier={earlier.shown}
            axes={view}
            zone={view.zone}
            entity={entity}
            height={chartPixels}
            isOnView
            onChange={onChange}
          />
        </ShownAnswer>
      )}
    </>
  )
}
