import { expect } from 'vitest'
import type { Source } from '../../../core/catalogue/content.ts'
import type { FeeSchedule } from '../../../core/catalogue/fee-schedule.ts'
import { readPlanId } from '../../../core/catalogue/plan-id.ts'
import { resolveFeeSchedules } from '../../../core/catalogue/resolving/resolve-fee-schedules.ts'
import { cleanWarehouse } from '../../../core/switching/clean-warehouse.ts'
import { removeFeeSchedule } from '../../../core/switching/manage-fee-schedules.ts'
import type { LoadedPlan } from '../../../core/switching/plan-changes.ts'
import { rollBackFeeSchedule } from '../../../core/switching/roll-back.ts'
import { switchFeeSchedules } from '../../../core/switching/switch-fee-schedules.ts'
import { createTestWarehouse, searchWarehouse, type TestWarehouse } from '../../builders/test-warehouse.ts'
import { fixtureLoad, loadSource } from '../../local/athena/warehouse-fixture.ts'
import { newSource, payer } from './open-switching.ts'

/**
 * Checks random loads, rollbacks, removals and cleanings against a small model, through the service's own statement. In
 * the model a variant has its files with the price of each; a name has what its variants agree on.
 */

export const ids = ['111111111', '222222222'] as const
export const plans = ['Gold', 'Silver'] as const
export const variants = plans.flatMap((plan) => ids.map((id) => ({ plan, id })))
export const fileNames = ['a.json', 'b.json', 'c.json'] as const

type Variant = (typeof variants)[number]
type FileName = (typeof fileNames)[number]

export const nameOf = ({ plan, id }: Variant) => `${plan} (EIN ${id})`

/** The files of a variant, each with the price that it had when it was loaded; empty if the variant does not exist. */
type Files = ReadonlyMap<FileName, number>

interface Known {
  readonly files: Files
  readonly before?: Files
  readonly changedBy: number
  readonly changedAt: number
}

interface Model {
  readonly variants: Map<string, Known>
  operations: number
  hours: number
}

interface Real {
  readonly warehouse: TestWarehouse
  readonly now: () => Date
  readonly newId: () => string
}

/** One change, applied to both the real warehouse and the model. */
export interface Operation {
  readonly about: unknown
  apply(model: Model, real: Real): Promise<void>
}

function change(model: Model, name: string, files: Files): void {
  const known = model.variants.get(name)
  const before = known?.files ?? new Map()
  model.variants.set(name, { files, before, changedBy: model.operations, changedAt: model.hours })
}

const isSame = (a: Files, b: Files) => JSON.stringify([...a].sort()) === JSON.stringify([...b].sort())

/** Loads files, each for some variants. `only` loads one plan of them; with `add` the variants keep their files. */
export const load = (
  listed: ReadonlyMap<FileName, readonly Variant[]>,
  only: string | undefined,
  add: boolean,
): Operation => ({
  about: ['load', [...listed], only, add],
  async apply(model, { warehouse, now, newId }) {
    model.operations += 1
    const price = model.operations
    const sources = new Map<FileName, Source>()
    for (const name of listed.keys()) {
      const sourceId = newId()
      await loadSource(warehouse.root, { sourceId, price })
      sources.set(name, { ...newSource(sourceId, name), loadId: fixtureLoad })
    }
    await warehouse.contents.putSources([...sources.values()], now())
    const filesOf = new Map<string, Map<FileName, number>>()
    const loaded: LoadedPlan[] = []
    for (const variant of variants) {
      const files = [...listed].flatMap(([name, served]) => (served.includes(variant) ? name : []))
      if (files.length === 0 || (only !== undefined && variant.plan !== only)) continue
      filesOf.set(nameOf(variant), new Map(files.map((name) => [name, price])))
      loaded.push({
        payer,
        plan: variant.plan,
        planId: readPlanId(variant.id, 'EIN'),
        sources: files.flatMap((name) => sources.get(name) ?? []),
        partial: false,
      })
    }
    const changes = { loadId: newId(), plans: loaded, add }
    const report = await switchFeeSchedules(changes, depsOf({ warehouse, now, newId }))
    expect([...report.contended, ...report.lost]).toEqual([])
    for (const [name, files] of filesOf)
      change(model, name, new Map([...(add ? (model.variants.get(name)?.files ?? []) : []), ...files]))
  },
})

/** The variants that a command's argument selects. */
const aboutOf = (model: Model, name: string) =>
  [...model.variants].filter(([variant]) => variant === name || variant.startsWith(`${name} (`))

export const remove = (name: string): Operation => ({
  about: ['remove', name],
  async apply(model, { warehouse, now, newId }) {
    model.operations += 1
    const present = aboutOf(model, name).filter(([, { files }]) => files.size > 0)
    if (present.length === 0) return
    await removeFeeSchedule({ payer, plan: name }, depsOf({ warehouse, now, newId }))
    for (const [variant] of present) change(model, variant, new Map())
  },
})

export const rollBack = (name: string): Operation => ({
  about: ['rollBack', name],
  async apply(model, { warehouse, now, newId }) {
    model.operations += 1
    const about = aboutOf(model, name)
    const last = Math.max(...about.map(([, { changedBy }]) => changedBy))
    const together = about.filter(([, { changedBy }]) => changedBy === last)
    const isFirstLoad = together.every(([, { files, before }]) => files.size > 0 && (before?.size ?? 0) === 0)
    const isGone = together.some(([, { before, changedAt }]) => (before?.size ?? 0) > 0 && model.hours - changedAt > 24)
    if (together.length === 0 || isFirstLoad || isGone) return
    await rollBackFeeSchedule({ payer, plan: name }, depsOf({ warehouse, now, newId }))
    for (const [variant, { before }] of together) change(model, variant, before ?? new Map())
  },
})

export const wait = (hours: number): Operation => ({
  about: ['wait', hours],
  async apply(model) {
    model.hours += hours
  },
})

export const clean: Operation = {
  about: 'clean',
  async apply(model, { warehouse, now, newId }) {
    await cleanWarehouse(depsOf({ warehouse, now, newId }))
    for (const [variant, { files, changedAt }] of [...model.variants])
      if (files.size === 0 && model.hours - changedAt > 24) model.variants.delete(variant)
  },
}

const depsOf = ({ warehouse, now, newId }: Real) => ({
  warehouse: warehouse.folder,
  catalogue: warehouse.catalogue,
  contents: warehouse.contents,
  records: warehouse.records,
  newId,
  now,
})

/** Returns the rows that a search for a name must find; undefined if the name does not exist or is ambiguous. */
function expectedOf(model: Model, name: string) {
  const about = aboutOf(model, name).filter(([, { files }]) => files.size > 0)
  const [first, ...others] = about
  if (first === undefined || others.some(([, { files }]) => !isSame(files, first[1].files))) return undefined
  const planIds = about.map(([variant]) => `ein|${/EIN (\d+)/.exec(variant)?.[1]}`).sort()
  return [...first[1].files].map(([file, price]) => ({ plan: name, file, price, planIds }))
}

/** Searches for several names at once, and compares the rows found with the model. */
async function compare(model: Model, { warehouse }: Real, names: readonly string[]): Promise<void> {
  const expected = names.map((name) => expectedOf(model, name))
  const known = names.filter((_, index) => expected[index] !== undefined)
  for (const [index, name] of names.entries()) {
    const resolved = await resolve(warehouse, [{ payer, plan: name }])
    expect([name, 'contents' in resolved]).toEqual([name, expected[index] !== undefined])
  }
  const resolved = await resolve(
    warehouse,
    known.map((plan) => ({ payer, plan })),
  )
  if ('failure' in resolved) throw new TypeError(resolved.failure.sentence)
  const entries = await warehouse.catalogue.find(known.map((plan) => ({ payer, plan })))
  const rows = await searchWarehouse(warehouse.root, entries)
  const found = rows.map((row) => ({
    plan: String(row['plan']),
    file: row['source_file'],
    price: Number(row['negotiated_rate']),
    planIds: row['plan_ids'],
  }))
  expect(inOrder(found)).toEqual(inOrder(expected.flatMap((each) => each ?? [])))
}

const inOrder = (each: readonly unknown[]) => each.map((row) => JSON.stringify(row)).sort()

/** Compares the view of current rates with the model: a plan's name, or its variants if they differ. */
async function compareCurrent(model: Model, { warehouse }: Real): Promise<void> {
  const listed = plans.flatMap(
    (plan) =>
      expectedOf(model, plan) ??
      variants
        .filter((variant) => variant.plan === plan)
        .flatMap((variant) => expectedOf(model, nameOf(variant)) ?? []),
  )
  const found = (await warehouse.readCurrent()).map((row) => ({
    plan: String(row['plan']),
    file: row['source_file'],
    price: Number(row['negotiated_rate']),
    planIds: row['plan_ids'],
  }))
  expect(inOrder(found)).toEqual(inOrder(listed))
}

const resolve = (warehouse: TestWarehouse, feeSchedules: readonly FeeSchedule[]) =>
  resolveFeeSchedules({ ...warehouse, now: () => new Date() }, { feeSchedules })

/** Applies operations to a warehouse and to the model; compares what searches find after each, and SQL at the end. */
export async function run(operations: readonly Operation[], searched: readonly string[]): Promise<void> {
  const model: Model = { variants: new Map(), operations: 0, hours: 0 }
  // The clock advances, so no two operations have the same time.
  const now = () => new Date(Date.UTC(2026, 10, 20, 9) + model.hours * 3_600_000 + model.operations * 1000)
  await using warehouse = await createTestWarehouse(undefined, now)
  let count = 0
  const real: Real = { warehouse, now, newId: () => `id${count++}` }
  for (const operation of operations) {
    await operation.apply(model, real)
    await compare(model, real, searched)
  }
  await compareCurrent(model, real)
}
