import { GetServiceQuotaCommand, ServiceQuotasClient } from '@aws-sdk/client-service-quotas'

/** How many vCPUs of Fargate an account may run at a time in a region. */
export interface FargateQuotas {
  readonly spot: number
  readonly onDemand: number
}

/** Codes of quotas of the service `fargate`: "Fargate Spot vCPU resource count" and "Fargate On-Demand vCPU resource count". */
export const quotaCodes = { spot: 'L-36FBB829', onDemand: 'L-3032A538' } as const

export async function readFargateQuotas(client = new ServiceQuotasClient({})): Promise<FargateQuotas> {
  const read = async (QuotaCode: string) => {
    const { Quota } = await client.send(new GetServiceQuotaCommand({ ServiceCode: 'fargate', QuotaCode }))
    return Quota?.Value ?? 0
  }
  const [spot, onDemand] = await Promise.all([read(quotaCodes.spot), read(quotaCodes.onDemand)])
  return { spot, onDemand }
}
