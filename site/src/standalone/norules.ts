/** A page that stands alone has no server that could record or alert. */
export const Alerts = () => null;
export const AlertDialog = () => null;
export const FiringNote = () => null;
export const Rules = () => null;
export const RecordDialog = () => null;
