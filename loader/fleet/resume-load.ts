import { isSilent } from '../../core/loads/load-record.ts'
import { type StepDeps, StepRefused } from './step-deps.ts'

/**
 * Lets a load by many workers run again from its step `plan`: files that were read stay, and refused ones are read
 * again.
 *
 * @throws StepRefused if the load is running, has nothing left to do, or was not one by many workers
 */
export async function resumeLoad(
  loadId: string,
  { records, work, now }: Pick<StepDeps, 'records' | 'work' | 'now'>,
): Promise<void> {
  const record = await records.read(loadId)
  if (record === undefined) throw new StepRefused(`there is no load ${loadId}`)
  const { state, endedAt, counts } = record
  if (endedAt === undefined && !isSilent(record, now()))
    throw new StepRefused(`the load ${loadId} is ${state}: cancel it, or wait until it has ended`)
  if (state === 'completed' && counts?.leftOut === 0)
    throw new StepRefused(`the load ${loadId} is complete: there is nothing to resume`)
  if ((await work.readOrder(loadId)) === undefined)
    throw new StepRefused(`the load ${loadId} cannot be resumed: run the same npm run load again`)
  if ((await records.resume(record, now())) === 'superseded')
    throw new StepRefused(`the load ${loadId} has just changed: npm run loads -- show ${loadId}`)
}
