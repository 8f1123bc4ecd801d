/** The API of a page that stands alone: there is no server. */
import { noServer } from "../../apierror.ts";

async function none(): Promise<never> {
  throw noServer();
}

export const fetchServices = none;
export const fetchLabels = none;
export const fetchTimeline = none;
export const fetchProfile = none;
export const fetchSource = none;
export const fetchBundle = none;
export const fetchTemplate = none;
export const askConnect = none;
export const askServer = none;
export const bodyOf = none;
export const json = none;
export const posted = none;
