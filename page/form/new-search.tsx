import { useEffect, useRef, useState } from 'preact/hooks'
import type { FeeSchedule, SearchRequest } from '../../client/api.ts'
import { makeIdempotencyKey } from '../../client/search-calls.ts'
import { nameSome } from '../../schema/phrases.ts'
import { besideLink, searchLink } from '../address/routes.ts'
import { Heading } from '../display/heading.tsx'
import { ProblemBox } from '../service/problem.tsx'
import { useSession } from '../service/service.ts'
import { findSpellings, replaceFeeSchedules } from './corrections.ts'
import { addWord, type Draft, readDraft } from './draft.ts'
import { EstimateLine } from './estimate.tsx'
import { type Estimated, estimateBoth, findFailure } from './estimates.ts'
import { FeeSchedulePicker } from './fee-schedule-picker.tsx'
import { codeField } from './list-fields.ts'
import { MoreFilters } from './more-filters.tsx'
import { CodeNames } from './name-finders.tsx'
import { ValueField } from './value-field.tsx'

/** The build of this file: `page/display/lazy-part.tsx` compares it with its own. */
export const build = '{build}'

interface Props {
  readonly draft: Draft
  readonly onDraft: (draft: Draft) => void
}

/** The form of a search. */
export function NewSearch({ draft, onDraft }: Props) {
  const [estimated, setEstimated] = useState<Estimated>()
  const [corrected, setCorrected] = useState<readonly FeeSchedule[]>([])
  const { isStarting, error, problem, start, forgetProblem } = useStart(draft, estimated)
  const change = (changed: Partial<Draft>) => {
    forgetProblem()
    onDraft({ ...draft, ...changed })
  }
  const reading = readDraft(draft)
  // A plan that is written in another case can mean only one; it is corrected where it stands.
  useEffect(() => {
    const spellings = estimated === undefined ? [] : findSpellings(estimated.rows)
    if (spellings.length === 0) return
    setCorrected(spellings.map(({ meant }) => meant))
    change({ feeSchedules: replaceFeeSchedules(draft.feeSchedules, spellings) })
  }, [estimated])
  return (
    <form
      class="new-search"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        start()
      }}
    >
      <Heading>New search</Heading>
      <FeeSchedulePicker
        chosen={draft.feeSchedules}
        onChosen={(feeSchedules) => {
          setCorrected([])
          change({ feeSchedules })
        }}
      />
      {corrected.length > 0 && (
        <p class="read" role="status">
          The spelling was corrected to {nameSome(corrected.map(({ plan }) => plan))}.
        </p>
      )}
      <ValueField
        id={codeField.name}
        {...codeField}
        nouns={codeField.filter.nouns}
        text={draft.codes ?? ''}
        onText={(codes) => change({ codes })}
        finder={<CodeNames onCode={(code) => change({ codes: addWord(draft.codes, code) })} />}
      />
      <MoreFilters draft={draft} onChange={change} />
      <EstimateLine
        request={'request' in reading ? reading.request : undefined}
        estimated={estimated}
        onEstimated={setEstimated}
        onReplace={(missing, meant) =>
          change({ feeSchedules: replaceFeeSchedules(draft.feeSchedules, [{ missing, meant }]) })
        }
        result={draft.result}
        onResult={(result) => change({ result })}
      />
      {error !== undefined && <ProblemBox error={error} onRetry={start} />}
      <div class="actions">
        <button type="submit" class="main" disabled={isStarting}>
          {isStarting ? 'Starting …' : 'Start search'}
        </button>
        <p class="problem-line" role="alert">
          {problem}
        </p>
      </div>
    </form>
  )
}

/** Starts the searches of a draft, unless its estimate says that they must fail, and opens the first of them. */
function useStart(draft: Draft, estimated: Estimated | undefined) {
  const { client } = useSession()
  const [isStarting, setStarting] = useState(false)
  const [error, setError] = useState<unknown>()
  const [problem, setProblem] = useState<string>()
  // The same search keeps its idempotency key until it is accepted, so that a lost answer does not start it twice.
  const keys = useRef(new Map<string, string>())
  const create = async (request: SearchRequest) => {
    const text = JSON.stringify(request)
    const idempotencyKey = keys.current.get(text) ?? makeIdempotencyKey()
    keys.current.set(text, idempotencyKey)
    return (await client.create(request, { idempotencyKey })).job_id
  }
  const createAll = async (request: SearchRequest) => {
    const isCurrent = estimated?.text === JSON.stringify(request)
    // Without an estimate, the search itself says what is wrong.
    const current = isCurrent ? estimated : await estimateBoth(client, request).catch(() => undefined)
    const failure = current && findFailure(current.rows)
    if (failure !== undefined) {
      const advice = request.as_of === undefined ? '' : ', or choose another day'
      setProblem(`${failure}${advice}.`)
      return undefined
    }
    const result = draft.result ?? (current?.summary === undefined ? 'rows' : 'both')
    if (result === 'rows') return searchLink(await create(request))
    const summary = await create({ ...request, summary: {} })
    return result === 'summary' ? searchLink(summary) : besideLink(summary, await create(request))
  }
  const start = async () => {
    const reading = readDraft(draft)
    if ('missing' in reading) return setProblem(reading.missing)
    setStarting(true)
    setError(undefined)
    try {
      const link = await createAll(reading.request)
      if (link === undefined) return setStarting(false)
      keys.current.clear()
      location.hash = link
    } catch (failure) {
      setError(failure)
      setStarting(false)
    }
  }
  return { isStarting, error, problem, start, forgetProblem: () => setProblem(undefined) }
}
