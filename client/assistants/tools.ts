import type { Tool } from './tool.ts'
import { findPlans } from './tools/find-plans.ts'

/** The tools of a server, in the order in which a question needs them. */
export const tools: readonly Tool[] = [findPlans]
