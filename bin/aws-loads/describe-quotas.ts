import { readFargateQuotas } from '../../adapters/fargate-quotas.ts'
import type { DryRun } from '../../loader/dry-run.ts'
import { describeCosts, priceHours } from './load-costs.ts'
import type { AwsLoads } from './open-aws-loads.ts'

/** Hours that a container takes to start, fetch its code and end, all in all. */
const startHours = 2 / 60

/**
 * What a load would take on AWS: whether the account's quotas of Fargate have room for its workers, and what it would
 * cost. Lines without a line break at their end.
 */
export async function describeOnAws(
  { expectedSeconds }: Pick<DryRun, 'expectedSeconds'>,
  workers: number,
  { worker, maxWorkers }: Pick<AwsLoads, 'worker' | 'maxWorkers'>,
  readQuotas = readFargateQuotas,
): Promise<string> {
  const { spot, onDemand } = await readQuotas()
  const wanted = workers * worker.vcpus
  const fitting = Math.floor((spot + onDemand) / worker.vcpus)
  const hours = (expectedSeconds / 3600) * Math.min(workers, Math.max(fitting, 1)) + workers * startHours
  return [
    `On AWS: ${workers} workers of ${worker.vcpus} vCPUs and ${worker.memoryGib} GiB, ${wanted} vCPUs; the stage allows ${maxWorkers} workers`,
    `Quotas of Fargate in this account and region: ${spot} vCPUs of Spot, ${onDemand} On-Demand: ${describeFit(workers, fitting)}`,
    `About ${hours.toFixed(1)} hours of workers: ${describeCosts(priceHours(hours, worker))} with prices of us-east-1`,
  ].join('\n')
}

function describeFit(workers: number, fitting: number): string {
  if (fitting >= workers) return `all ${workers} fit, if nothing else uses them`
  return `${fitting} of ${workers} workers fit at a time, the others wait: raise the quotas (Service Quotas, AWS Fargate)`
}
