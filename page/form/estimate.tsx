import { useEffect, useState } from 'preact/hooks'
import type { Estimate, FeeSchedule, SearchRequest } from '../../client/api.ts'
import { formatBytes } from '../../client/command-line/table.ts'
import { countOf } from '../../schema/phrases.ts'
import { forPeople } from '../display/failures.ts'
import { describeProblem, useSession } from '../service/service.ts'
import type { ResultChoice } from './draft.ts'
import { type Estimated, estimateBoth, listMissing } from './estimates.ts'
import { ResultChoices } from './result-choices.tsx'

interface Props {
  readonly request: SearchRequest | undefined
  readonly estimated: Estimated | undefined
  readonly onEstimated: (estimated: Estimated | undefined) => void
  /** Replaces a fee schedule that does not exist. */
  readonly onReplace: (gone: FeeSchedule, meant: FeeSchedule) => void
  readonly result: ResultChoice | undefined
  readonly onResult: (result: ResultChoice) => void
}

/** Pause after a change before it is estimated, in milliseconds. */
const pauseMs = 400

/** Shows what the drafted search would read, without starting it. */
export function EstimateLine({ request, estimated, onEstimated, onReplace, result, onResult }: Props) {
  const { client } = useSession()
  const [problem, setProblem] = useState<string>()
  const text = request && JSON.stringify(request)
  const current = estimated?.text === text ? estimated : undefined
  useEffect(() => {
    onEstimated(undefined)
    setProblem(undefined)
    if (request === undefined) return undefined
    const ended = new AbortController()
    const ask = async () => {
      try {
        onEstimated(await estimateBoth(client, request, ended.signal))
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
  const missing = current === undefined ? [] : listMissing(current.rows)
  return (
    <div class="estimate">
      <div role="status">
        {text !== undefined && current === undefined && problem === undefined && <p>Estimating …</p>}
        {problem !== undefined && <p class="wrong">{problem}</p>}
        {current !== undefined && missing.length === 0 && current.summary === undefined && (
          <p>{describeEstimate(current.rows)}</p>
        )}
        {missing.map((one) => (
          <p key={`${one.payer}\n${one.plan}`} class="wrong">
            <bdi>{one.plan}</bdi> of <bdi>{one.payer}</bdi> cannot be searched.
          </p>
        ))}
        {current?.rows.warnings.filter(isNews).map(({ message }) => (
          <p key={message} class="warning">
            Warning: {forPeople(message)}
          </p>
        ))}
      </div>
      <Corrections missing={missing} onReplace={onReplace} />
      {current?.summary !== undefined && missing.length === 0 && (
        <ResultChoices
          chosen={result ?? 'both'}
          onChoose={onResult}
          rows={describeEstimate(current.rows)}
          summary={describeEstimate(current.summary)}
        />
      )}
    </div>
  )
}

/** Maximum number of fee schedules that are offered in place of one that does not exist. */
const maxOffered = 3

function Corrections({
  missing,
  onReplace,
}: Pick<Props, 'onReplace'> & { readonly missing: Estimate['fee_schedules'] }) {
  return missing.flatMap(({ payer, plan, nearest }) =>
    nearest.slice(0, maxOffered).map((meant) => (
      <button
        key={JSON.stringify([payer, plan, meant])}
        type="button"
        class="quiet offer"
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
  )
}

/** The field of the NPIs names those with a wrong check digit itself. */
const isNews = ({ message }: Estimate['warnings'][number]) => !message.includes('check digit')

function describeEstimate({ files, bytes }: Estimate): string {
  if (files === null) return 'The search can be started; its size cannot be estimated.'
  const size = bytes === null ? '' : `, ${formatBytes(bytes)} at most`
  return `Reads ${countOf(files, 'file')}${size}.`
}
