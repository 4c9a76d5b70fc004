import { useRef, useState } from 'preact/hooks'
import type { FeeSchedule, SearchRequest } from '../../client/api.ts'
import { Heading } from '../heading.tsx'
import { ProblemBox } from '../problem.tsx'
import { searchLink } from '../routes.ts'
import { useSession } from '../service.ts'
import { type Chosen, type Draft, readDraft } from './draft.ts'
import { type Estimated, EstimateLine, listMissing } from './estimate.tsx'
import { FeeSchedulePicker } from './fee-schedule-picker.tsx'
import { listFields } from './list-fields.ts'
import { ValueField } from './value-field.tsx'

interface Props {
  readonly draft: Draft
  readonly onDraft: (draft: Draft) => void
}

/** The form of a search. */
export function NewSearch({ draft, onDraft }: Props) {
  const { client } = useSession()
  const [isStarting, setStarting] = useState(false)
  const [error, setError] = useState<unknown>()
  const [missing, setMissing] = useState<string>()
  const [estimated, setEstimated] = useState<Estimated>()
  // The same search keeps its idempotency key until it is accepted, so that a lost answer does not start it twice.
  const attempt = useRef({ text: '', key: '' })
  const change = (changed: Partial<Draft>) => {
    setMissing(undefined)
    onDraft({ ...draft, ...changed })
  }
  const read = readDraft(draft)
  const replace = (gone: FeeSchedule, meant: FeeSchedule) => {
    const isGone = (one: Chosen) => 'payer' in one && one.payer === gone.payer && one.plan === gone.plan
    change({ feeSchedules: draft.feeSchedules.map((one) => (isGone(one) ? meant : one)) })
  }
  /** Looks for a fee schedule that does not exist; the search itself says it if there is no estimate. */
  const findAbsent = async (request: SearchRequest, text: string) => {
    const isKnown = estimated?.text === text
    const estimate = isKnown ? estimated?.estimate : await client.estimate(request).catch(() => undefined)
    return estimate && listMissing(estimate)[0]
  }
  const start = async (event?: Event) => {
    event?.preventDefault()
    if ('missing' in read) return setMissing(read.missing)
    const text = JSON.stringify(read.request)
    if (attempt.current.text !== text) attempt.current = { text, key: crypto.randomUUID() }
    setStarting(true)
    setError(undefined)
    try {
      const absent = await findAbsent(read.request, text)
      if (absent !== undefined) {
        const another = read.request.as_of === undefined ? '' : ', or choose another day'
        setMissing(`${absent.plan} of ${absent.payer} cannot be searched: replace or remove it${another}.`)
        setStarting(false)
        return
      }
      const { job_id } = await client.create(read.request, { idempotencyKey: attempt.current.key })
      attempt.current = { text: '', key: '' }
      location.hash = searchLink(job_id)
    } catch (failure) {
      setError(failure)
      setStarting(false)
    }
  }
  return (
    <form class="new-search" onSubmit={start} noValidate>
      <Heading>New search</Heading>
      <FeeSchedulePicker chosen={draft.feeSchedules} onChosen={(feeSchedules) => change({ feeSchedules })} />
      <div class="columns">
        {listFields.map(({ name, ...field }) => (
          <ValueField
            key={name}
            id={name}
            {...field}
            text={draft[name] ?? ''}
            onText={(text) => change({ [name]: text })}
          />
        ))}
      </div>
      <div class="field">
        <label for="as-of">As of</label>
        <p id="as-of-help" class="help">
          Rates as they were searched at the end of this day (UTC). Empty: the rates of now.
        </p>
        <input
          id="as-of"
          type="date"
          value={draft.asOf}
          aria-describedby="as-of-help"
          onInput={({ currentTarget }) => change({ asOf: currentTarget.value })}
        />
      </div>
      <p class="help">Paste columns of a spreadsheet as they are. A rate must match every field that is filled in.</p>
      <EstimateLine
        request={'request' in read ? read.request : undefined}
        estimated={estimated}
        onEstimated={setEstimated}
        onReplace={replace}
      />
      {error !== undefined && <ProblemBox error={error} onRetry={() => start()} />}
      <div class="actions">
        <button type="submit" class="main" disabled={isStarting}>
          {isStarting ? 'Starting …' : 'Start search'}
        </button>
        <p class="problem-line" role="alert">
          {missing}
        </p>
      </div>
    </form>
  )
}
