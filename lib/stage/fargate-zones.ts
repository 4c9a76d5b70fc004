import type { WorkerSize } from '../../schema/load-worker.ts'

/** Sources of the tables below, for messages. */
export const zoneSources = 'guides of AWS of 2023 for arm64 and 2026 for x86_64'

/**
 * Zones without Fargate, by their ids, in the regions for which the guide lists the zones that have it. Source: Amazon
 * ECS developer guide, "Supported Regions for Amazon ECS on AWS Fargate", read in November 2026.
 */
const withoutFargate = /^(?:usw1-az(?![13]$)|apne1-az(?![124]$)|cnn1-az(?![12]$))/

/**
 * Zones and regions with Fargate, but without it for 64-bit Arm. No API of AWS tells. Source: Amazon ECS developer
 * guide, "Working with 64-bit ARM workloads on Amazon ECS", of 2023; no later list is known.
 */
const withoutArm = /^(?:use1-az3|apne3-az[23]|(?:cnn1|cnnw1|afs1|mes1|usge1|usgw1)-az\d+)$/

/** True unless a zone is known to have no Fargate for an architecture. */
export const runsFargate = (zoneId: string, architecture: WorkerSize['architecture']): boolean =>
  !withoutFargate.test(zoneId) && !(architecture === 'arm64' && withoutArm.test(zoneId))
