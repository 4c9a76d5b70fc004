import { Readable } from 'node:stream'
import { createGunzip, createGzip } from 'node:zlib'
import * as v from 'valibot'
import { factsSchema } from '../../adapters/dynamodb/catalogue/catalogue-items.ts'
import { planIdTypes } from '../../core/catalogue/plan-id.ts'
import type { StoredListing } from '../../core/loads/load-work.ts'
import type { LoadWork } from '../../core/loads/ports.ts'
import type { ContentsFinding } from '../plans/other-files.ts'
import type { ListedFile, ListedPlan, QuarantinedPlan, TableOfContents } from '../plans/table-of-contents.ts'

/**
 * What a table of contents listed when its load began, so that all steps of the load see the same plans and files. One
 * line of JSON for each file, each list of files that plans share, and each plan.
 */

const name = { payer: v.string(), plan: v.string() }
const planId = v.object({ type: v.picklist(planIdTypes), value: v.string() })

const lineSchema = v.variant('kind', [
  v.object({ kind: v.literal('file'), identity: v.string(), location: v.exactOptional(v.string()) }),
  /** By the numbers of the files' lines. */
  v.object({ kind: v.literal('list'), files: v.array(v.number()) }),
  v.object({
    kind: v.literal('plan'),
    ...name,
    planId: v.exactOptional(planId),
    /** By the number of its line. */
    list: v.number(),
    faults: v.array(v.string()),
    facts: v.exactOptional(factsSchema),
  }),
  v.object({
    kind: v.literal('finding'),
    finding: v.object({ kind: v.string(), count: v.number(), examples: v.array(v.string()) }),
  }),
  v.object({
    kind: v.literal('quarantined'),
    name: v.string(),
    reason: v.string(),
    likely: v.exactOptional(v.object({ ...name, planId: v.exactOptional(planId) })),
  }),
])

type Line = v.InferOutput<typeof lineSchema>

export async function storeListing(
  loadId: string,
  toc: TableOfContents,
  work: LoadWork,
  listedAt: Date,
): Promise<void> {
  const { entity, lastUpdatedOn } = toc
  const facts = {
    listedAt,
    ...(entity !== undefined && { entity }),
    ...(lastUpdatedOn !== undefined && { lastUpdatedOn }),
  }
  const packed = Readable.from(describeLines(toc)).compose(createGzip())
  await work.putListing(loadId, facts, packed)
}

function* describeLines({ plans, quarantined, findings }: TableOfContents): Generator<string> {
  const line = (value: Line) => `${JSON.stringify(value)}\n`
  const files = new Map<ListedFile, number>()
  const lists = new Map<readonly ListedFile[], number>()
  for (const { files: listed } of plans) {
    if (lists.has(listed)) continue
    lists.set(listed, lists.size)
    for (const file of listed) {
      if (files.has(file)) continue
      files.set(file, files.size)
      const { identity, location } = file
      yield line({ kind: 'file', identity, ...(location !== identity && { location }) })
    }
    yield line({ kind: 'list', files: listed.map((file) => files.get(file) ?? -1) })
  }
  for (const { payer, plan, planId: id, files: listed, faults, facts } of plans) {
    const list = lists.get(listed) ?? -1
    yield line({
      kind: 'plan',
      payer,
      plan,
      ...(id && { planId: id }),
      list,
      faults: [...faults],
      ...(facts && { facts }),
    })
  }
  for (const { examples, ...finding } of findings)
    yield line({ kind: 'finding', finding: { ...finding, examples: [...examples] } })
  for (const { name: shown, reason, likely } of quarantined) {
    const { payer = '', plan = '', planId: id } = likely ?? {}
    yield line({
      kind: 'quarantined',
      name: shown,
      reason,
      ...(likely && { likely: { payer, plan, ...(id && { planId: id }) } }),
    })
  }
}

/** Reads a listing as it was stored. */
export async function readListing(loadId: string, listing: StoredListing, work: LoadWork): Promise<TableOfContents> {
  const files: ListedFile[] = []
  const lists: (readonly ListedFile[])[] = []
  const plans: ListedPlan[] = []
  const quarantined: QuarantinedPlan[] = []
  const findings: ContentsFinding[] = []
  for await (const json of splitLines(Readable.from(work.readListing(loadId, listing)).compose(createGunzip()))) {
    const line = v.parse(lineSchema, JSON.parse(json))
    switch (line.kind) {
      case 'file':
        files.push({ identity: line.identity, location: line.location ?? line.identity })
        break
      case 'list':
        lists.push(line.files.map((number) => found(files, number)))
        break
      case 'plan': {
        const { payer, plan, planId: id, list, faults, facts } = line
        plans.push({ payer, plan, planId: id, files: found(lists, list), faults, ...(facts && { facts }) })
        break
      }
      case 'finding':
        findings.push(line.finding)
        break
      case 'quarantined': {
        const { name: shown, reason, likely } = line
        const named = likely && { likely: { ...likely, planId: likely.planId } }
        quarantined.push({ name: shown, reason, ...named })
        break
      }
    }
  }
  return { entity: listing.entity, lastUpdatedOn: listing.lastUpdatedOn, plans, quarantined, findings }
}

function found<Member>(members: readonly Member[], number: number): Member {
  const member = members[number]
  if (member === undefined) throw new TypeError(`the listing of a load has no line ${number}`)
  return member
}

/** Splits text at line feeds only: `node:readline` also splits at characters that JSON may contain. */
async function* splitLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
}
