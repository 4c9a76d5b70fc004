import type { ComponentChildren } from 'preact'
import { useEffect, useMemo, useState } from 'preact/hooks'
import type { SearchRequest } from '../../client/api.ts'
import type { ShardFile } from '../../client/results/shard-file.ts'
import { countOf } from '../../schema/phrases.ts'
import { useLinked } from '../address/view-link.ts'
import { assignHues, type PlanHues } from '../display/plan-hues.ts'
import { HuesContext } from '../display/plan-swatch.tsx'
import { writeDraftLink } from '../form/draft-link.ts'
import type { RowLink } from '../plot/chosen-row.ts'
import type { PlottedRows } from '../plot/plotted-rows.ts'
import { ProblemBox } from '../service/problem.tsx'
import { type ReadRows, readRows } from '../service/read-rows.ts'
import type { SearchedPlan } from '../statistics/not-compared.ts'
import { originColumns, planOf, pricedColumns } from '../statistics/rate-groups.ts'
import { parseCodes } from '../values/pasted-values.ts'
import type { ResultParts } from './result-parts.ts'
import { StripPlot } from './strip-plot.tsx'
import { SummariseButton } from './summarise-button.tsx'

/** The columns that are shown first, those that tell prices apart before the rest. */
const firstColumns = [
  ...['plan', 'billing_code', 'billing_code_modifier', 'negotiated_rate', 'rate_unit', 'npi', 'provider_name'],
  ...['billing_code_type', 'negotiated_type', 'billing_class', 'setting', 'service_code', 'provider_city'],
  ...['provider_state', 'tin_business_name', 'tin_value', 'payer', 'name'],
]

interface Props {
  readonly files: readonly ShardFile[]
  /** The request of the search, as soon as it is known. */
  readonly request: SearchRequest | undefined
  /** The plans that were searched, as soon as they are known. */
  readonly plans: readonly SearchedPlan[] | undefined
  /** Facts that the reader must know of the result besides its prices. */
  readonly notices: ComponentChildren
  /** True if the search has more rows than the result: its prices are then not compared. */
  readonly isTruncated: boolean
  /** The views below the plot; undefined until their code is loaded. */
  readonly parts: ResultParts | undefined
  /** Is called with the hues of plans when the answer or the first rows are shown, or the reason why there are none. */
  readonly onAnswer: (hues: PlanHues | undefined) => void
}

/**
 * Shows the answer of a result, its plot and its rows, or those of one code if it has too many, read from its files
 * without downloading them.
 */
export function ResultView({ files, request, plans, notices, isTruncated, parts, onAnswer }: Props) {
  const [chosen, setChosen] = useLinked('columns')
  const columns = chosen?.split(',') ?? request?.columns ?? firstColumns
  const [code, setCode] = useLinked('code')
  const [read, setRead] = useState<ReadRows & { readonly code: string | undefined }>()
  const [isTooLarge, setTooLarge] = useState(false)
  const [error, setError] = useState<unknown>()
  const [tries, setTries] = useState(0)
  const columnList = [...new Set([...pricedColumns, ...originColumns, ...columns])].sort().join()
  useEffect(() => {
    let isCurrent = true
    setError(undefined)
    setTooLarge(false)
    readRows(files, columnList.split(','), code).then(
      (found) => {
        if (!isCurrent) return
        if (found !== undefined) setRead({ ...found, code })
        setTooLarge(found === undefined)
      },
      (failure: unknown) => isCurrent && setError(failure),
    )
    return () => {
      isCurrent = false
    }
  }, [files, columnList, code, tries])
  const { rows = [], isAll = false } = read ?? {}
  const filled = useMemo(() => columns.filter((column) => rows.some((row) => row[column] != null)), [read, chosen])
  const isReading = error === undefined && !isTooLarge && (read === undefined || read.code !== code)
  const isPriced = !isTruncated && read !== undefined && pricedColumns.every((column) => read.columns.includes(column))
  const isPlotted = isPriced && isAll && rows.length > 0
  const hues = useHues(isPlotted ? read : undefined, plans)
  const hasAnswer = read !== undefined || isTooLarge || error !== undefined
  useEffect(() => {
    if (hasAnswer) onAnswer(hues)
  }, [hasAnswer, hues])
  const renderRates = (link?: RowLink, plotted?: PlottedRows) =>
    read !== undefined &&
    parts !== undefined &&
    rows.length > 0 && (
      <parts.Rates
        read={read}
        description={describeRows(read)}
        isPriced={isPriced}
        columns={chosen === undefined ? filled : columns}
        onColumns={(next) => setChosen(next.join())}
        link={link}
        plotted={plotted}
      />
    )
  return (
    <>
      {error !== undefined && <ProblemBox error={error} onRetry={() => setTries(tries + 1)} isReading />}
      {read !== undefined && !isPlotted && <p class={rows.length === 0 ? 'lead' : ''}>{describeRows(read)}</p>}
      {!isPlotted && notices}
      {read !== undefined && (!read.isAll || read.code !== undefined) && (
        <CodeForm request={request} onCode={setCode} />
      )}
      {read?.isAll === false && request && <SummariseButton request={request} />}
      {isReading && <p role="status">Reading {code === undefined ? 'the rows' : `all rows of ${code}`} …</p>}
      {isTooLarge && code !== undefined && (
        <p class="problem" role="alert">
          {code} cannot be compared here: too much would have to be read.{' '}
          {request && <a href={writeDraftLink({ ...request, billing_codes: [code] })}>Search for this code alone</a>},
          or download the files.
        </p>
      )}
      {isPlotted ? (
        <HuesContext.Provider value={hues}>
          <StripPlot rows={read.rows} searched={plans} parts={parts} renderRows={renderRates}>
            {notices}
          </StripPlot>
        </HuesContext.Provider>
      ) : (
        renderRates()
      )}
    </>
  )
}

/** Returns the hues of plans; of a result that is read by code, of all plans that were searched. */
function useHues(read: (ReadRows & { readonly code: string | undefined }) | undefined, searched: Props['plans']) {
  return useMemo(() => {
    if (read === undefined) return undefined
    return assignHues(read.code !== undefined && searched !== undefined ? searched : read.rows.map(planOf))
  }, [read, read?.code === undefined ? undefined : searched])
}

function describeRows({ rows, isAll, code }: ReadRows & { readonly code: string | undefined }): string {
  const count = countOf(rows.length, 'row')
  if (code !== undefined) return rows.length === 0 ? `The result has no row of ${code}.` : `All ${count} of ${code}.`
  if (rows.length === 0)
    return 'No rate matches this search: these plans have none for what was asked. Check it, or leave out NPIs, TINs or codes.'
  if (isAll) return `All ${count} of the result.`
  return `The first ${count}: the result is too large to be read here whole. To compare prices, name a billing code.`
}

function CodeForm({ request, onCode }: Pick<Props, 'request'> & { readonly onCode: (code: string) => void }) {
  const [text, setText] = useState('')
  const [code] = parseCodes(text).values
  const submit = (event: Event) => {
    event.preventDefault()
    if (code !== undefined) onCode(code)
  }
  return (
    <form class="controls" onSubmit={submit}>
      <div>
        <label for="asked-code">Billing code to compare</label>
        <input
          id="asked-code"
          list="asked-codes"
          autocomplete="off"
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
        <datalist id="asked-codes">
          {request?.billing_codes?.map((each) => (
            <option key={each} value={each} />
          ))}
        </datalist>
      </div>
      <button type="submit">Read all of its rows</button>
    </form>
  )
}
