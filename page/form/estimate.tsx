import { useEffect, useState } from 'preact/hooks'
import type { Estimate, FeeSchedule, SearchRequest } from '../../client/api.ts'
import { formatBytes } from '../../client/command-line/table.ts'
import { countOf } from '../../schema/phrases.ts'
import { forPeople } from '../failures.ts'
import { describeProblem, useSession } from '../service.ts'

/** The service's estimate of a request. */
export interface Estimated {
  /** The request, as JSON. */
  readonly text: string
  readonly estimate: Estimate
}

interface Props {
  readonly request: SearchRequest | undefined
  readonly estimated: Estimated | undefined
  readonly onEstimated: (estimated: Estimated | undefined) => void
  /** Replaces a fee schedule that does not exist. */
  readonly onReplace: (gone: FeeSchedule, meant: FeeSchedule) => void
}

/** Pause after a change before it is estimated, in milliseconds. */
const pauseMs = 400

/**
 * Lists the fee schedules of an estimate that do not exist. Over a relation of the operator, which has no number of files, names
 * may be newer than the catalogue.
 */
export const listMissing = ({ files, fee_schedules }: Estimate): Estimate['fee_schedules'] =>
  files === null ? [] : fee_schedules.filter(({ exists }) => !exists)

/** Shows what the drafted search would read, without starting it. */
export function EstimateLine({ request, estimated, onEstimated, onReplace }: Props) {
  const { client } = useSession()
  const [problem, setProblem] = useState<string>()
  const text = request && JSON.stringify(request)
  const estimate = estimated?.text === text ? estimated?.estimate : undefined
  useEffect(() => {
    onEstimated(undefined)
    setProblem(undefined)
    if (text === undefined) return undefined
    const ended = new AbortController()
    const ask = async () => {
      try {
        const body: SearchRequest = JSON.parse(text)
        onEstimated({ text, estimate: await client.estimate(body, { signal: ended.signal }) })
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
  const missing = estimate === undefined ? [] : listMissing(estimate)
  return (
    <div class="estimate">
      <div role="status">
        {text !== undefined && estimate === undefined && problem === undefined && <p>Estimating …</p>}
        {problem !== undefined && <p class="wrong">{problem}</p>}
        {estimate !== undefined && missing.length === 0 && <p>{describeEstimate(estimate)}</p>}
        {missing.map((one) => (
          <p key={nameOf(one)} class="wrong">
            <bdi>{one.plan}</bdi> of <bdi>{one.payer}</bdi> cannot be searched.
          </p>
        ))}
        {estimate?.warnings.filter(isNews).map(({ message }) => (
          <p key={message} class="warning">
            Warning: {forPeople(message)}
          </p>
        ))}
      </div>
      {missing.flatMap(({ payer, plan, nearest }) =>
        nearest.slice(0, 3).map((meant) => (
          <button
            key={JSON.stringify([payer, plan, meant])}
            type="button"
            class="quiet"
            onClick={() => onReplace({ payer, plan }, { payer: meant.payer, plan: meant.plan })}
          >
            Use <bdi>{meant.plan}</bdi> of <bdi>{meant.payer}</bdi>
            {missing.length > 1 && (
              <>
                {' '}
                for <bdi>{plan}</bdi>
              </>
            )}
          </button>
        )),
      )}
    </div>
  )
}

const nameOf = ({ payer, plan }: FeeSchedule) => `${payer}\n${plan}`

/** The field of the NPIs names those with a wrong check digit itself. */
const isNews = ({ message }: Estimate['warnings'][number]) => !message.includes('check digit')

function describeEstimate({ files, bytes }: Estimate): string {
  if (files === null) return 'The search can be started; its size cannot be estimated.'
  const size = bytes === null ? '' : `, ${formatBytes(bytes)} at most`
  return `Reads ${countOf(files, 'file')}${size}.`
}
