import { readQuota } from '../../adapters/service-quotas.ts'
import type { DryRun } from '../../loader/run/dry-run.ts'
import type { PlannedFile } from '../../loader/run/look-at-file.ts'
import type { WorkerSize } from '../../schema/load-worker.ts'
import { describeCosts, priceHours } from './load-costs.ts'
import type { AwsLoads } from './open-aws-loads.ts'

/** Hours that a container takes to start, fetch its code and end, all in all. */
const startHours = 2 / 60

/**
 * Peak disk space that a worker needs for a file, as a multiple of its published size. Generated gzip files of 200 MB
 * of JSON took 3.1 times (referenced groups) and 3.9 times (unique inline groups).
 */
const stagedShare = 4

/**
 * Describes a load on AWS: its workers, their fit into the account's quotas of Fargate, and its costs.
 *
 * @returns lines without a final line break
 */
export async function describeOnAws(
  { expectedSeconds, files }: Pick<DryRun, 'expectedSeconds' | 'files'>,
  workers: number,
  { worker, maxWorkers }: Pick<AwsLoads, 'worker' | 'maxWorkers'>,
  read = readQuota,
): Promise<string> {
  const [spot, onDemand] = await Promise.all([read('fargateSpot'), read('fargateOnDemand')])
  const vcpus = workers * worker.vcpus
  const isKnown = spot !== undefined && onDemand !== undefined
  const fitting = isKnown ? Math.floor((spot + onDemand) / worker.vcpus) : workers
  const fit = isKnown ? describeFit(workers, fitting) : 'unknown whether they fit (needs servicequotas:GetServiceQuota)'
  const hours = (expectedSeconds / 3600) * Math.min(workers, Math.max(fitting, 1)) + workers * startHours
  return [
    `On AWS: ${workers} workers of ${worker.vcpus} vCPUs and ${worker.memoryGib} GiB, ${vcpus} vCPUs; the stage allows ${maxWorkers} workers`,
    `Quotas of Fargate in this account and region: ${spot ?? 'unknown'} vCPUs of Spot, ${onDemand ?? 'unknown'} On-Demand: ${fit}`,
    `About ${hours.toFixed(1)} hours of workers: ${describeCosts(priceHours(hours, worker))} with prices of us-east-1`,
    ...describeDisk(files, worker),
  ].join('\n')
}

function describeFit(workers: number, fitting: number): string {
  if (fitting >= workers) return `all ${workers} fit, if nothing else uses them`
  return `${fitting} of ${workers} workers fit at a time, the others wait: raise the quotas (Service Quotas, AWS Fargate)`
}

/** Nothing if all files fit on the disk of a worker. */
function describeDisk(files: readonly PlannedFile[], { scratchGib }: WorkerSize): readonly string[] {
  const toRead = files.filter(({ outcome }) => outcome === 'new')
  const [largest] = toRead.toSorted((a, b) => (b.bytes ?? 0) - (a.bytes ?? 0))
  const gib = Math.ceil((stagedShare * (largest?.bytes ?? 0)) / 1024 ** 3)
  if (largest === undefined || gib <= scratchGib) return []
  return [
    `The largest file may need ${gib} GiB of a worker's disk, which has ${scratchGib} (loads.scratchGib of the stage, at most 200): ${largest.file}`,
  ]
}
