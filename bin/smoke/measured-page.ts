import { formatTimestamp } from '../../core/time.ts'
import type { MeasuredSearch } from './measure-searches.ts'

/** Dollars for a byte that a query reads, and the bytes that Athena bills at least. Source: Amazon Athena pricing. */
const priceOfByte = 5e-12
const minBytesScanned = 10_000_000

/** Facts about a measurement as a whole. */
export interface Measurement {
  readonly stage: string
  readonly region: string
  readonly bucket: string
  readonly plan: string
  readonly files: number
  readonly at: Date
  readonly searches: readonly MeasuredSearch[]
}

/** Writes a measurement as a page of docs/measured/. */
export function writeMeasuredPage(measurement: Measurement): string {
  const { stage, region, plan, files, at, searches } = measurement
  return `# What do searches read on Athena?

A search of each class on the stage ${stage} in ${region}, over ${plan} of ${files} ${files === 1 ? 'file' : 'files'}, one after the other;
\`npm run smoke -- --stage ${stage} --measure <file>\`, ${formatTimestamp(at)}. Bytes and times are those that Athena
states for the query. Dollars are for a million queries, at $5 a terabyte and at least 10 MB each.

| search | rows | MB read | dollars | queued, ms | planned, ms | engine, ms |
|---|---|---|---|---|---|---|
${searches.map(writeRow).join('\n')}

## Requests

CloudTrail's event history has the calls to Glue, up to 15 minutes after they were made. It has none to S3, because those
are data events: only a trail or an event data store of CloudTrail Lake that records data events of the bucket has them. Both
count everything in the account that called at that time, so nobody else should search meanwhile.

${searches.map((search) => writeRequests(search, measurement)).join('\n\n')}

## Plans

${searches.map(({ label, plan: lines }) => `### ${label}\n\n\`\`\`text\n${lines.join('\n').trimEnd()}\n\`\`\``).join('\n\n')}
`
}

function writeRow({ label, rows, query }: MeasuredSearch): string {
  const { bytesScanned, queueMs, planningMs, engineMs } = query
  const dollars = Math.max(minBytesScanned, bytesScanned) * priceOfByte * 1_000_000
  const megabytes = (bytesScanned / 1_000_000).toFixed(2)
  return `| ${[label, rows, megabytes, Math.round(dollars), queueMs, planningMs, engineMs].join(' | ')} |`
}

/** Writes the commands that count the requests of one query, once CloudTrail has them. */
function writeRequests({ label, query }: MeasuredSearch, { bucket }: Measurement): string {
  const [from, to] = [query.submittedAt.toISOString(), query.endedAt.toISOString()]
  return `### Requests: ${label}

\`\`\`
aws cloudtrail lookup-events --lookup-attributes AttributeKey=EventSource,AttributeValue=glue.amazonaws.com \\
  --start-time ${from} --end-time ${to} --query 'Events[].EventName' --output text | tr '\\t' '\\n' | sort | uniq -c
\`\`\`

\`\`\`sql
SELECT eventName, count(*) AS requests FROM <event data store id>
WHERE eventSource = 's3.amazonaws.com' AND element_at(requestParameters, 'bucketName') = '${bucket}'
  AND eventTime BETWEEN TIMESTAMP '${sqlTime(query.submittedAt)}' AND TIMESTAMP '${sqlTime(query.endedAt)}'
GROUP BY eventName
\`\`\``
}

const sqlTime = (time: Date) => time.toISOString().replace('T', ' ').replace('Z', '')
