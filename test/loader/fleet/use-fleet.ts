import { afterEach, beforeEach, vi } from 'vitest'
import { leaseSeconds } from '../../../core/loads/lease-file.ts'
import type { OpenFile } from '../../../core/loads/load-work.ts'
import { buildFile } from '../../builders/in-network-builder.ts'
import { createTestWarehouse, type TestWarehouse } from '../../builders/test-warehouse.ts'
import { type PayerSite, startPayerSite } from '../../doubles/payer-site.ts'
import { createTestFleet, type TestFleet } from './test-fleet.ts'

export const loadId = 'l1'

export let site: PayerSite
export let warehouse: TestWarehouse
export let fleet: TestFleet

/** Gives each test of a file a site, whose clock is everybody's, a warehouse, and the steps of a load. */
export function useFleet(): void {
  beforeEach(async () => {
    vi.stubEnv('http_proxy', '')
    site = await startPayerSite()
    warehouse = await createTestWarehouse()
    fleet = createTestFleet(warehouse, () => site.now)
  })
  afterEach(async () => {
    await warehouse[Symbol.asyncDispose]()
    await site[Symbol.asyncDispose]()
    vi.unstubAllEnvs()
  })
}

/** Publishes one file for each of these plans, and plans their load. */
export async function plan(...plans: readonly string[]) {
  const files = plans.map((name) => `/${name}.json`)
  for (const [index, path] of files.entries()) {
    site.files.set(path, { body: Buffer.from(JSON.stringify(buildFile({ plan_name: plans[index] }))) })
  }
  return fleet.plan(loadId, { files: files.map((path) => site.url + path), partial: true })
}

/** Lets time pass. */
export function pass(seconds: number): void {
  site.now = new Date(site.now.getTime() + seconds * 1000)
}

export const leaseOf = (worker: string) => ({ worker, until: new Date(site.now.getTime() + leaseSeconds * 1000) })

export const openFiles = (): Promise<OpenFile[]> => Array.fromAsync(fleet.work.listOpen(loadId))

/** Leases the first file of the queue for a worker that never reads it. */
export async function leaseFirst(worker: string) {
  const [file] = await openFiles()
  return fleet.work.lease(loadId, file?.key ?? '', leaseOf(worker), site.now)
}

export const outcomes = async () => [...(await fleet.work.readOutcomes(loadId)).values()].map(({ outcome }) => outcome)
