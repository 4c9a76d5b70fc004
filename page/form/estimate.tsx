import { useEffect, useState } from 'preact/hooks'
import type { Estimate, FeeSchedule, SearchRequest } from '../../client/api.ts'
import { formatBytes } from '../../client/cli/table.ts'
import { formatCount } from '../formats.ts'
import { forPeople } from '../search/failures.ts'
import { describeProblem, useSession } from '../service.ts'

interface Props {
  readonly request: SearchRequest | undefined
  /** Replaces a fee schedule that does not exist. */
  readonly onReplace: (gone: FeeSchedule, meant: FeeSchedule) => void
}

/** Pause after a change before it is estimated, in milliseconds. */
const pauseMs = 400

/** Shows what the drafted search would read, without starting it. */
export function EstimateLine({ request, onReplace }: Props) {
  const { client } = useSession()
  const [estimate, setEstimate] = useState<Estimate>()
  const [problem, setProblem] = useState<string>()
  const text = request && JSON.stringify(request)
  useEffect(() => {
    setEstimate(undefined)
    setProblem(undefined)
    if (text === undefined) return undefined
    const ended = new AbortController()
    const ask = async () => {
      try {
        const body: SearchRequest = JSON.parse(text)
        setEstimate(await client.estimate(body, { signal: ended.signal }))
      } catch (error) {
        if (!ended.signal.aborted) setProblem(describeProblem(error).advice)
      }
    }
    const timer = setTimeout(ask, pauseMs)
    return () => {
      clearTimeout(timer)
      ended.abort()
    }
  }, [text, client])
  const missing = estimate?.fee_schedules.filter(({ exists }) => !exists) ?? []
  return (
    <div class="estimate" role="status">
      {text !== undefined && estimate === undefined && problem === undefined && <p>Estimating …</p>}
      {problem !== undefined && <p class="wrong">{problem}</p>}
      {estimate !== undefined && <p>{describeEstimate(estimate)}</p>}
      {missing.map(({ payer, plan, nearest }) => (
        <p key={`${payer}\n${plan}`} class="wrong">
          <bdi>{plan}</bdi> of <bdi>{payer}</bdi> cannot be searched.
          {nearest.slice(0, 3).map((meant) => (
            <button
              key={`${meant.payer}\n${meant.plan}`}
              type="button"
              class="quiet"
              onClick={() => onReplace({ payer, plan }, { payer: meant.payer, plan: meant.plan })}
            >
              Use <bdi>{meant.plan}</bdi> of <bdi>{meant.payer}</bdi>
            </button>
          ))}
        </p>
      ))}
      {estimate?.warnings.filter(isNews).map(({ message }) => (
        <p key={message} class="warning">
          Warning: {forPeople(message)}
        </p>
      ))}
    </div>
  )
}

/** The field of the NPIs names those with a wrong check digit itself. */
const isNews = ({ message }: Estimate['warnings'][number]) => !message.includes('check digit')

function describeEstimate({ files, bytes }: Estimate): string {
  if (files === null) return 'The search can be started; its size cannot be estimated.'
  const size = bytes === null ? '' : `, ${formatBytes(bytes)} at most`
  return `Reads ${formatCount(files, 'file', 'files')} of rates${size}.`
}
