import { GetServiceQuotaCommand, ServiceQuotasClient } from '@aws-sdk/client-service-quotas'
import { commandRequests } from './request-limits.ts'

/** Quotas of an account in a region, by the names and codes of Service Quotas. */
export const quotas = {
  /** Concurrent executions. */
  lambdaConcurrency: { service: 'lambda', code: 'L-B99A9384' },
  /** DML query timeout, in minutes. */
  athenaQueryMinutes: { service: 'athena', code: 'L-E80DC288' },
  /** Fargate Spot vCPU resource count. */
  fargateSpot: { service: 'fargate', code: 'L-36FBB829' },
  /** Fargate On-Demand vCPU resource count. */
  fargateOnDemand: { service: 'fargate', code: 'L-3032A538' },
} as const

export type QuotaName = keyof typeof quotas

/** Returns a quota; undefined if it cannot be read, because no command should fail for lack of this right. */
export async function readQuota(
  name: QuotaName,
  client = new ServiceQuotasClient({ ...commandRequests, maxAttempts: 2 }),
): Promise<number | undefined> {
  const { service: ServiceCode, code: QuotaCode } = quotas[name]
  const answer = await client.send(new GetServiceQuotaCommand({ ServiceCode, QuotaCode })).catch(() => undefined)
  return answer?.Quota?.Value
}
