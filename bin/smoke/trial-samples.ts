import { listAll } from '../../core/catalogue/list-catalogue.ts'
import { removeFeeSchedule } from '../../core/switching/manage-fee-schedules.ts'
import { loadFiles } from '../../loader/run/load-files.ts'
import { realMachine } from '../../loader/write/machine.ts'
import { sampleFiles } from '../../local/samples/sample-data.ts'
import type { OpenedWarehouse } from '../warehouse/connect-catalogue.ts'

/**
 * Loads the samples into an empty stage. The load notes nothing that would be announced, and no names of codes.
 *
 * @param ids gets every id of the load, the first before anything is switched
 * @returns the number of plans
 */
export async function loadSamples(opened: OpenedWarehouse, ids: string[], signal: AbortSignal): Promise<number> {
  const records = { ...opened.records, noteSwitching: async () => {} }
  // Names of codes stay for a day after their plans, and people would find those of the samples.
  const codeNames = { ...opened.codeNames, add: async () => {} }
  const newId = () => {
    const id = opened.newId()
    ids.push(id)
    return id
  }
  const deps = { ...opened, records, codeNames, newId, machine: realMachine, signal }
  const report = await loadFiles({ files: sampleFiles }, deps)
  return report.switched.filter(({ variantOf }) => variantOf !== undefined).length
}

/**
 * Removes the plans that a trial has loaded. Their files stay until `fee-schedules clean`, a day later.
 *
 * @param ids of the trial's load
 * @returns the number of plans
 */
export async function removeSamples(opened: OpenedWarehouse, ids: readonly string[]): Promise<number> {
  const loaded = (await listAll(opened.catalogue)).filter(
    ({ state, changedBy, variantOf }) =>
      state.status === 'active' && variantOf !== undefined && changedBy !== undefined && ids.includes(changedBy),
  )
  for (const { payer, plan } of loaded) await removeFeeSchedule({ payer, plan }, opened)
  return loaded.length
}
