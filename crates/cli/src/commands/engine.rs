//! The engine without a terminal.

use kumite_host::settings::Flags;

use crate::args::Setting;
use crate::attend;
use crate::trouble::Result;

pub fn engine(setting: &Setting) -> Result {
    let project = setting.project()?;
    let loader = setting.loader(&project, Flags::default())?;
    attend::be_engine(&project, &loader)
}
